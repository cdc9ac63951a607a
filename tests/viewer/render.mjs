// Pictures and films: `pronk render` draws with the page in its render mode.
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { browser, check, colours, needs, run, scratch, tests } from './support.mjs';

needs();
const folder = scratch();
run('run', 'starleth-trot', '--set', 'duration=1', '-o', folder);
const recording = join(folder, 'run.mcap');
const chrome = await browser();

await tests({
  'frames are drawn in order and in size': async () => {
    const out = join(folder, 'frames');
    run('render', recording, '-o', out, '--fps', '4', '--size', '320x180');
    const files = readdirSync(out)
      .filter((name) => name.endsWith('.png'))
      .sort();
    check(files.length === 4, `there are pictures at 0, 0.25, 0.5 and 0.75 s, found ${files.length}`);
    const pictures = files.map((name) => readFileSync(join(out, name)));
    for (const png of pictures) {
      check(png.readUInt32BE(16) === 320 && png.readUInt32BE(20) === 180, 'each is 320 by 180');
    }
    check((await colours(chrome, pictures[0])) > 100, 'they are not blank');
    check(!pictures[0].equals(pictures[3]), 'the robot moved between the first and the last');
  },
  'cameras see the robot from different sides': async () => {
    mkdirSync(join(folder, 'cameras'));
    const seen = new Set();
    for (const camera of ['side', 'follow']) {
      const file = join(folder, 'cameras', `${camera}.png`);
      run('render', recording, '-o', file, '--camera', camera, '--at', '0.5', '--size', '240x160');
      const png = readFileSync(file);
      check((await colours(chrome, png)) > 100, `the picture of ${camera} is not blank`);
      seen.add(png.toString('base64'));
    }
    check(seen.size === 2, 'the pictures differ');
  },
});

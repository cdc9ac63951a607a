// Stability of the first robot, drawn live and from a recording.
import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import { browser, check, colours, near, needs, openViewer, run, scratch, sleep, tests, until, view } from './support.mjs';

needs();
const folder = scratch();
run('run', 'starleth-trot', '--set', 'duration=2', '--set', 'record.rate=400', '-o', folder);
const chrome = await browser();
const live = await view('starleth-stand', '--set', 'duration=1000');
const page = await openViewer(chrome, live.url);
const state = (expression) => page.evaluate(expression);
const values = '[...document.querySelectorAll(".stability output")].map((output) => output.textContent)';

/** Pixels of a picture that have a colour, or nearly. */
async function count(png, colour) {
  const blank = await chrome.newPage();
  const found = await blank.evaluate(
    async ([base64, wanted]) => {
      const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
      const picture = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
      const context = new OffscreenCanvas(picture.width, picture.height).getContext('2d');
      context.drawImage(picture, 0, 0);
      const { data } = context.getImageData(0, 0, picture.width, picture.height);
      let n = 0;
      for (let i = 0; i < data.length; i += 4)
        if (wanted.every((value, k) => Math.abs(data[i + k] - value) < 12)) n++;
      return n;
    },
    [png.toString('base64'), colour],
  );
  await blank.close();
  return found;
}

await tests({
  'a standing robot has four edges, and its points are inside': async () => {
    await until(page, 'pronk.time > 1', 'it stands');
    const s = await state('pronk.stability');
    check(s.edges.length === 4, 'four feet have four edges');
    check(s.gcom.margin > 0.1 && s.zmp.margin > 0.1 && s.fri.margin > 0.1, 'points are well inside');
    check(near(s.gcom.place[0], s.zmp.place[0], 0.005), 'at rest the ZMP is under the centre of mass');
    check(near(s.capture.place[0], s.gcom.place[0], 0.005), 'and so is the capture point');
    const least = Math.min(...s.edges.map((edge) => edge[6]));
    check(near(s.sh, least, 1e-3 * least) && least > 0, 'S_H is that of the least edge, and nothing tips');
  },
  'the card is shown with the switch, with the numbers of the frame': async () => {
    check(!(await page.isVisible('.stability')), 'it is hidden at first');
    await page.keyboard.press('b');
    check(await page.isVisible('.stability'), 'B shows it');
    await until(page, `${values}.every((text) => /^-?[0-9.]+ (mm|kg m²\\/s)$/.test(text))`, 'every row has a number');
    const [shown, s] = await state(`[${values}, pronk.stability]`);
    check(near(Number.parseFloat(shown[0]), 1000 * s.gcom.margin, 2), 'the first row is the static margin');
    await page.click('[role=tab]:has-text("Show")');
    check(await page.isChecked('[data-toggle=stability]'), 'the switch of the panel follows');
  },
  'the drawing has the colours of its points': async () => {
    const pixels = async () => count(await page.screenshot(), [0x12, 0xb5, 0xcf]);
    await page.keyboard.press('4'); // from above
    await page.keyboard.press('x'); // collision shapes cover less
    await sleep(500);
    check((await pixels()) > 10, 'the ring of the FRI is drawn');
    await page.keyboard.press('b');
    await sleep(500);
    check((await pixels()) === 0, 'B takes it away');
  },
  'a recording without measures shows them too': async () => {
    const server = await view(join(folder, 'run.mcap'), '--paused');
    const replay = await openViewer(chrome, server.url, { viewport: { width: 1200, height: 700 } });
    await replay.keyboard.press('b');
    await replay.fill('input.timeline', '1.1');
    await until(replay, 'Math.abs(pronk.time - 1.1) < 0.05 && pronk.stability !== null', 'it knows its stability');
    const s = await replay.evaluate('pronk.stability');
    check(s.edges.length === 1 || s.edges.length >= 3, 'a trot stands on a line, or on more');
    check(s.edges.every((edge) => Math.abs(edge[2]) < 0.1), 'edges are on the ground');
    await sleep(300);
    const picture = await replay.screenshot(process.env.PRONK_PICTURE ? { path: process.env.PRONK_PICTURE } : {});
    check((await colours(chrome, picture)) > 100, 'the picture has many colours');
    check(replay.complaints.length === 0, `the console has no error: ${replay.complaints}`);
    await server.stop();
  },
  'what has no robot has no stability': async () => {
    writeFileSync(join(folder, 'ball.yaml'), 'duration: 10\nobjects:\n  - {shape: sphere, size: [0.1], mass: 1, position: [0, 0, 0.1]}\nterrain:\n  - shape: plane\n');
    const server = await view(join(folder, 'ball.yaml'));
    const other = await openViewer(chrome, server.url);
    check((await other.evaluate('pronk.stability')) === null, 'there is none');
    await other.keyboard.press('b');
    await until(other, `${values}.every((text) => text === '–')`, 'the card has no numbers');
    check(other.complaints.length === 0, `the console has no error: ${other.complaints}`);
    await server.stop();
  },
  'nothing was written to the console': async () => {
    check(page.complaints.length === 0, `the console has no error: ${page.complaints}`);
  },
});

// A recording in the browser.
import { join } from 'node:path';
import { browser, check, needs, openViewer, run, scratch, sleep, tests, until, view } from './support.mjs';

needs();
const folder = scratch();
run('run', 'starleth-trot', '--set', 'duration=2', '-o', folder);
const chrome = await browser();
const server = await view(join(folder, 'run.mcap'), '--paused');
const page = await openViewer(chrome, server.url);
const state = (expression) => page.evaluate(expression);

await tests({
  'a recording opens paused at its start': async () => {
    check((await state('pronk.mode')) === 'replay', 'the mode is replay');
    check((await state('pronk.time')) === 0 && !(await state('pronk.playing')), 'it stands at time 0');
  },
  'the time slider seeks': async () => {
    await page.fill('input.timeline', '1');
    await until(page, 'Math.abs(pronk.time - 1) < 0.05', 'time is about 1 s');
    check((await state('pronk.bodies[0].position[0]')) > 0.02, 'the trunk is where it was then');
  },
  'the left arrow steps back, the right one on': async () => {
    const time = await state('pronk.time');
    await page.keyboard.press('ArrowLeft');
    await until(page, `pronk.time < ${time}`, 'time went back');
    const earlier = await state('pronk.time');
    await page.keyboard.press('ArrowRight');
    await until(page, `pronk.time > ${earlier}`, 'time went on');
    await page.keyboard.press('ArrowLeft');
    await until(page, `pronk.time === ${earlier}`, 'one step back is where it was before');
  },
  'plots show the whole recording, and a click seeks': async () => {
    await until(page, 'pronk.points > 100', 'the series came');
    await until(page, "document.querySelector('.u-over') !== null", 'a chart is drawn');
    const box = await (await page.$('.u-over')).boundingBox();
    await page.mouse.click(box.x + 0.8 * box.width, box.y + box.height / 2);
    await until(page, 'Math.abs(pronk.time - 1.6) < 0.1', 'time is where the click was');
  },
  'playing ends at the end': async () => {
    await page.keyboard.press('Space');
    await until(page, 'pronk.ended || pronk.time > 1.97', 'the end is reached');
  },
  'backspace goes to the start': async () => {
    await page.keyboard.press('Backspace');
    await until(page, 'pronk.time < 1.5', 'time is early again');
    if (await state('pronk.playing')) await page.keyboard.press('Space');
    await sleep(200);
  },
  'nothing was written to the console': async () => {
    check(page.complaints.length === 0, `the console has no error: ${page.complaints}`);
    check((await state('pronk.errors')).length === 0, 'the server refused nothing');
  },
});

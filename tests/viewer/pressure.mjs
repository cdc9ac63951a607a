// Pressure on compliant surfaces: faces in colours, the scale, and the same from a recording.
import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import { browser, check, near, needs, openViewer, run, scratch, sleep, tests, until, view } from './support.mjs';

needs();
const folder = scratch();
const soft = (object, compliance) =>
  `duration: 1000\nobjects:\n  - {${object}, compliance: rubber}\nterrain:\n  - {shape: plane, material: ground}\n` +
  `materials: {ground: {compliance: rubber}}\ncompliance: {rubber: {${compliance}}}\n`;
const write = (name, text) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const block = write(
  'block.yaml',
  soft('shape: box, size: [0.2, 0.1, 0.1], mass: 2, position: [0, 0, 0.06]', 'stiffness: 1e6, layer: 0.01, dissipation: 5'),
);
const ball = write(
  'ball.yaml',
  soft('shape: sphere, size: [0.1], mass: 2, position: [0, 0, 0.1]', 'law: hertz, stiffness: 1e5, dissipation: 20'),
);
run('run', 'coman-box-soft', '-o', join(folder, 'coman'));

const chrome = await browser();
const live = await view(block);
const page = await openViewer(chrome, live.url);
const state = (expression) => page.evaluate(expression);
const values = '[...document.querySelectorAll(".pressure output")].map((output) => output.textContent)';
const legend = 'document.querySelector(".pressure .muted span:last-child").textContent';

/** Newtons on faces that are triangles: pressure times area. */
function push(faces) {
  let sum = 0;
  for (const [, , pressure, ax, ay, az, bx, by, bz, cx, cy, cz] of faces) {
    const [ux, uy, uz, vx, vy, vz] = [bx - ax, by - ay, bz - az, cx - ax, cy - ay, cz - az];
    sum += (pressure * Math.hypot(uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx)) / 2;
  }
  return sum;
}

/** Pixels between violet and pink, and yellow ones, which nothing else here has once the scale is out of the way. */
async function coloured(from) {
  const hide = (how) => from.evaluate(`document.querySelector('.pressure').style.visibility = '${how}'`);
  await hide('hidden');
  const png = await from.locator('#canvas').screenshot();
  await hide('');
  const blank = await chrome.newPage();
  const found = await blank.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
    const picture = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const context = new OffscreenCanvas(picture.width, picture.height).getContext('2d');
    context.drawImage(picture, 0, 0);
    const { data } = context.getImageData(0, 0, picture.width, picture.height);
    const n = { violet: 0, yellow: 0 };
    for (let i = 0; i < data.length; i += 4) {
      if (data[i] > data[i + 1] + 60 && data[i + 2] > data[i + 1] + 60) n.violet++;
      if (data[i] > 200 && data[i + 1] > 200 && data[i + 2] < 100) n.yellow++;
    }
    return n;
  }, png.toString('base64'));
  await blank.close();
  return found;
}

await tests({
  'faces of a block that rests press with its weight': async () => {
    await until(page, 'pronk.time > 1', 'it rests');
    const { faces, now } = await state('pronk.pressure');
    check(near(push(faces), 2 * 9.81, 0.02), `the pressures are its weight, not ${push(faces)} N`);
    check(near(now, (2 * 9.81) / 0.02, 2), 'the largest is that of all, 981 Pa');
  },
  'R shows the scale with its largest value, and the switch follows': async () => {
    check(!(await page.isVisible('.pressure')), 'it is hidden at first');
    check((await state('pronk.pressure.drawn')) === 0, 'and nothing is drawn');
    await page.keyboard.press('r');
    check(await page.isVisible('.pressure'), 'R shows it');
    await until(page, `${values}[0] === '981 Pa'`, 'the largest pressure now is told');
    const [shown, p, end] = await state(`[${values}, pronk.pressure, ${legend}]`);
    check(Number(shown[2]) === p.faces.length && p.drawn === p.faces.length, 'every face is drawn');
    check(/^[0-9.]+ k?Pa$/.test(end) && p.full >= p.most && p.most >= p.now, 'the scale covers all so far');
    await page.click('[role=tab]:has-text("Show")');
    check(await page.isChecked('[data-toggle=pressure]'), 'the switch of the panel follows');
  },
  'a click on the scale fits it to this moment': async () => {
    await page.click('.pressure');
    await until(page, `${legend} === '1 kPa'`, 'it ends at 1 kPa');
    const p = await state('pronk.pressure');
    check(p.full === 1000 && near(p.most, 981, 2), 'what was larger is forgotten');
  },
  'faces have their colour from below, and without the layer they do not': async () => {
    await page.keyboard.press('6');
    for (const key of 'cf') await page.keyboard.press(key); // points and arrows have colours of their own
    await sleep(500);
    const shown = await coloured(page);
    check(shown.yellow > 1000 && shown.violet === 0, `all faces are nearly at the end of the scale: ${shown.yellow}`);
    await page.keyboard.press('r');
    await sleep(300);
    check((await coloured(page)).yellow === 0, 'without the layer nothing is yellow');
    check((await state('pronk.pressure.drawn')) === 0, 'R takes it away');
  },
  'round bodies press on a disc': async () => {
    const server = await view(ball);
    const other = await openViewer(chrome, server.url);
    await other.keyboard.press('r');
    await until(other, 'pronk.time > 1 && pronk.pressure.drawn > 1', 'it rests');
    const { faces, drawn } = await other.evaluate('pronk.pressure');
    const [, number, pressure, ax, ay, az, bx, by, bz] = faces[0];
    const radius = Math.hypot(bx - ax, by - ay, bz - az);
    check(faces.length === 1 && number === -1 && drawn === 32, 'it is one disc');
    check(near(Math.PI * radius ** 2 * pressure, 2 * 9.81, 0.2), 'its pressure times its area is the weight');
    check(other.complaints.length === 0, `the console has no error: ${other.complaints}`);
    await server.stop();
  },
  'a recording shows the soles of a humanoid': async () => {
    const server = await view(join(folder, 'coman', 'run.mcap'), '--paused');
    const replay = await openViewer(chrome, server.url, { viewport: { width: 1200, height: 700 } });
    await replay.keyboard.press('r');
    await replay.fill('input.timeline', '1.6');
    await until(replay, 'Math.abs(pronk.time - 1.6) < 0.05 && pronk.pressure?.drawn > 100', 'faces press');
    await replay.keyboard.press('6');
    await replay.keyboard.press('c');
    await replay.keyboard.press('f');
    await sleep(500);
    check((await coloured(replay)).violet > 2000, 'soles are violet');
    const bodies = await replay.evaluate('new Set(pronk.pressure.faces.map((face) => pronk.bodies[face[0]]?.name)).size');
    check(bodies >= 3, 'both feet and the box press');
    if (process.env.PRONK_PICTURE) await replay.screenshot({ path: process.env.PRONK_PICTURE });
    await replay.keyboard.press('r');
    await sleep(500);
    check((await coloured(replay)).violet === 0, 'R takes the colours away');
    check(replay.complaints.length === 0, `the console has no error: ${replay.complaints}`);
    await server.stop();
  },
  'where nothing gives way there is no pressure': async () => {
    const server = await view('starleth-stand');
    const other = await openViewer(chrome, server.url);
    await other.keyboard.press('r');
    check((await other.evaluate('pronk.pressure')) === null, 'there is none');
    await until(other, `${values}[2] === 'not known'`, 'the card says so');
    check(other.complaints.length === 0, `the console has no error: ${other.complaints}`);
    await server.stop();
  },
  'nothing was written to the console': async () => {
    check(page.complaints.length === 0, `the console has no error: ${page.complaints}`);
  },
});

// Motors in the browser: channels as curves, colours by load and temperature, torque against speed, sliders.
import { join } from 'node:path';
import { browser, check, near, needs, openViewer, run, scratch, sleep, tests, until, view } from './support.mjs';

needs();
const chrome = await browser();
const server = await view('starleth-sea', '--set', 'duration=1000');
const page = await openViewer(chrome, server.url, { viewport: { width: 1100, height: 640 } });
const state = (expression) => page.evaluate(expression);
const tab = (name) => page.click(`[role=tab]:has-text("${name}")`);
const folder = scratch();

/** The pixels of the picture that are nearly of a colour. */
async function count(of, [r, g, b]) {
  const png = (await of.locator('#canvas').screenshot()).toString('base64');
  const look = await chrome.newPage();
  const found = await look.evaluate(
    async ([base64, wanted]) => {
      const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
      const picture = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
      const canvas = new OffscreenCanvas(picture.width, picture.height);
      const context = canvas.getContext('2d');
      context.drawImage(picture, 0, 0);
      const { data } = context.getImageData(0, 0, picture.width, picture.height);
      let n = 0;
      for (let i = 0; i < data.length; i += 4) {
        // Light and shade change how bright it is, less its hue.
        const size = Math.hypot(data[i], data[i + 1], data[i + 2]) || 1,
          most = Math.hypot(...wanted);
        const same = (data[i] * wanted[0] + data[i + 1] * wanted[1] + data[i + 2] * wanted[2]) / (size * most);
        if (same > 0.99 && size > 60) n++;
      }
      return n;
    },
    [png, [r, g, b]],
  );
  await look.close();
  return found;
}

await tests({
  'every channel of actuators can be plotted': async () => {
    const curves = await state('pronk.curves');
    for (const name of ['current', 'voltage', 'temperature', 'rotor_velocity', 'spring_deflection']) {
      await page.fill('input[type=search]', `actuators/${name} RH_KFE`);
      await page.click('.result');
    }
    check((await state('pronk.curves')) === curves + 5, 'there are five curves more');
    const chips = "[...document.querySelectorAll('.chip')].map((chip) => chip.textContent)";
    await until(page, `${chips}.filter((text) => /RH_KFE.*[1-9]/.test(text)).length === 5`, 'all of them have values');
    await page.keyboard.press('Escape');
  },
  'bodies have the colour of their load': async () => {
    check((await state('pronk.colours.mode')) === 'none', 'there is no colour at first');
    check(!(await page.isVisible('.scale')), 'nor a legend');
    await page.keyboard.press('h');
    await until(page, 'Object.keys(pronk.colours.parts).length === 12', 'twelve bodies have a load');
    check(await page.isVisible('.scale'), 'there is a legend');
    const parts = await state('pronk.colours.parts');
    check(!('base' in parts), 'the trunk, which nothing drives, has none');
    check(
      Object.values(parts).every((part) => part >= 0 && part < 1.5),
      'loads are parts of their limits',
    );
    await until(page, 'Math.max(...Object.values(pronk.colours.parts)) > 0.2', 'legs carry');
  },
  'bodies have the colour of their temperature': async () => {
    await tab('Show');
    await page.selectOption('select[aria-label="colour by"]', 'temperature');
    await until(page, 'pronk.colours.mode === "temperature"', 'the mode is temperature');
    check((await page.textContent('.scale')).includes('25 °C'), 'the legend begins at the air');
    check((await page.textContent('.scale')).includes('155 °C'), 'and ends at the limit of the winding');
    await until(
      page,
      'Object.values(pronk.colours.parts).length === 12 && Math.max(...Object.values(pronk.colours.parts)) < 0.5',
      'all are cold at the start',
    );
    await until(page, 'Math.max(...Object.values(pronk.colours.parts)) > 1e-4', 'and warm up');
    const blue = await count(page, [0x2f, 0x6f, 0xbf]);
    await page.keyboard.press('h');
    await until(page, 'pronk.colours.mode === "none"', 'H goes on to none');
    await sleep(300);
    const without = await count(page, [0x2f, 0x6f, 0xbf]);
    // The legend has a few blue pixels of its own.
    check(blue > without + 1500, `cold legs are blue (${blue} pixels, ${without} without)`);
    check(!(await page.isVisible('.scale')), 'the legend is gone');
  },
  'torque against speed of a motor': async () => {
    await tab('Motors');
    await until(page, 'pronk.motor !== null && pronk.motor.points > 20', 'points come');
    await page.selectOption('select[aria-label="motor"]', 'RH_KFE');
    await until(page, 'pronk.motor !== null && pronk.motor.name === "RH_KFE"', 'another motor is shown');
    await until(page, 'pronk.motor.points > 20', 'its points come');
    const [speed, torque] = await state('pronk.motor.last');
    const limit = 100 * 0.0136 * 25;
    check(Math.abs(torque) <= limit * 1.001 && Number.isFinite(speed), 'the torque is within the limit of its current');
    const inked = await state(
      `(() => { const c = document.querySelector('.torque-speed'); const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
        let n = 0; for (let i = 3; i < d.length; i += 4) n += d[i] > 0; return n; })()`,
    );
    check(inked > 500, 'something is drawn');
    const ranges = () => state('pronk.motor.ranges');
    const [whole, high] = await ranges();
    check(near(whole, (1.05 * 24) / 1.36, 0.01) && near(high, 1.15 * 34, 0.01), `the axes show the lines: ${whole}, ${high}`);
    await page.click('.torque-speed');
    check((await ranges())[1] < high, 'a click shows the points closely');
    await page.click('.torque-speed');
    check(near((await ranges())[1], high, 0.01), 'another one the lines again');
  },
  'a motor constant acts at once': async () => {
    await tab('Parameters');
    await page.click('summary:has-text("actuators.0")');
    const time = await state('pronk.time');
    await page.fill('input.value[aria-label="actuators.0.constant"]', '0.02');
    await page.press('input.value[aria-label="actuators.0.constant"]', 'Enter');
    await sleep(500);
    check((await state('pronk.time')) > time, 'the world goes on');
    check(near(Number(await page.inputValue('input.value[aria-label="actuators.0.constant"]')), 0.02, 1e-9), 'it is set');
  },
  'a gear starts the world anew': async () => {
    await until(page, 'pronk.time > 3', 'it has walked for a while');
    await page.fill('input.value[aria-label="actuators.0.gear"]', '90');
    await page.press('input.value[aria-label="actuators.0.gear"]', 'Enter');
    await until(page, 'pronk.time < 3', 'time begins again');
    await page.fill('input.value[aria-label="actuators.0.gear"]', '-3');
    await page.press('input.value[aria-label="actuators.0.gear"]', 'Enter');
    await until(page, 'pronk.errors.length === 1', 'a gear below zero is refused');
    check((await page.inputValue('input.value[aria-label="actuators.0.gear"]')) === '90', 'the last good one comes back');
  },
  'a recording has colours and torque against speed': async () => {
    check(page.complaints.length === 0, `the console has no error: ${page.complaints}`);
    await server.stop();
    run('run', 'starleth-sea', '--set', 'duration=4', '-o', folder);
    const other = await view(join(folder, 'run.mcap'), '--paused');
    const replay = await openViewer(chrome, other.url, { viewport: { width: 1100, height: 640 } });
    await replay.fill('input.timeline', '1');
    await until(replay, 'Math.abs(pronk.time - 1) < 0.05', 'time is about 1 s');
    await replay.keyboard.press('h');
    await until(replay, 'Object.keys(pronk.colours.parts).length === 12', 'twelve bodies have a load, also when paused');
    await replay.click('[role=tab]:has-text("Motors")');
    await replay.keyboard.press('Escape'); // the tab lets go of the keys
    await replay.keyboard.press('Space');
    await until(replay, 'pronk.motor !== null && pronk.motor.points > 2', 'points come while it plays');
    check(replay.complaints.length === 0, `the console has no error: ${replay.complaints}`);
    check((await replay.evaluate('pronk.errors')).length === 0, 'the server refused nothing');
    await other.stop();
  },
  'a robot without motors offers loads alone': async () => {
    const other = await view('starleth-trot', '--paused');
    const plain = await openViewer(chrome, other.url);
    check(!(await plain.isVisible('[role=tab]:has-text("Motors")')), 'there is no page for motors');
    const disabled = "[...document.querySelectorAll('[aria-label=\"colour by\"] option')].filter((o) => o.disabled)";
    check((await plain.evaluate(`${disabled}.map((o) => o.value).join()`)) === 'temperature', 'temperature is off');
    await plain.keyboard.press('h');
    await until(plain, 'pronk.colours.mode === "load"', 'load is there: the model has limits');
    await plain.keyboard.press('h');
    await until(plain, 'pronk.colours.mode === "none"', 'and none follows it');
    await other.stop();
  },
});

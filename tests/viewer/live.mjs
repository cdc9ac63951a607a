// A live simulation in the browser: what the keys do.
import { readFileSync } from 'node:fs';
import { browser, check, colours, near, openViewer, sleep, tests, until, view } from './support.mjs';

const chrome = await browser();
const server = await view('starleth-trot', '--set', 'duration=1000');
const page = await openViewer(chrome, server.url);
const state = (expression) => page.evaluate(expression);

async function pause() {
  if (await state('pronk.playing')) await page.keyboard.press('Space');
  await until(page, '!pronk.playing', 'space pauses');
  await sleep(300); // the last frame may still be on its way
}

await tests({
  'the page loads and shows the scenario': async () => {
    check((await page.title()).includes('starleth-trot'), 'the title names the scenario');
    check((await state('pronk.mode')) === 'live', 'the mode is live');
    check((await state('pronk.bodies.length')) === 13, 'StarLETH has 13 bodies');
    check(await state('Object.isFrozen(pronk)'), 'the state can only be read');
  },
  'the robot moves': async () => {
    const x = await state('pronk.bodies[0].position[0]');
    await until(page, `pronk.bodies[0].position[0] > ${x} + 0.1`, 'the trunk moves forward');
  },
  'the space bar pauses and goes on': async () => {
    await pause();
    const time = await state('pronk.time');
    await sleep(300);
    check((await state('pronk.time')) === time, 'time stands while paused');
    await page.keyboard.press('Space');
    await until(page, `pronk.playing && pronk.time > ${time}`, 'time goes on');
  },
  'the right arrow steps by one time step': async () => {
    await pause();
    const [time, step, dt] = await state('[pronk.time, pronk.step, pronk.dt]');
    await page.keyboard.press('ArrowRight');
    await until(page, `pronk.step === ${step + 1}`, 'one step was made');
    check(near(await state('pronk.time'), time + dt, 1e-9), 'time grew by dt');
  },
  'the left arrow does nothing in a live run': async () => {
    const before = page.sent.length;
    await page.keyboard.press('ArrowLeft');
    check(page.sent.length === before, 'nothing is sent');
  },
  'backspace starts again at time 0': async () => {
    await pause();
    await page.keyboard.press('Backspace');
    await until(page, 'pronk.time === 0', 'time is 0');
    check(near(await state('pronk.bodies[0].position[0]'), 0, 1e-6), 'the trunk is at its start');
  },
  'plus and minus change the speed': async () => {
    await page.keyboard.press('-');
    await until(page, 'pronk.speed === 0.5', 'the speed is halved');
    await page.keyboard.press('+');
    await until(page, 'pronk.speed === 1', 'the speed is back');
  },
  'every toggle has a key': async () => {
    for (const [key, id] of [
      ['c', 'points'],
      ['f', 'forces'],
      ['k', 'cones'],
      ['u', 'support'],
      ['b', 'stability'],
      ['m', 'com'],
      ['t', 'trails'],
      ['e', 'frames'],
      ['x', 'collision'],
      ['g', 'grid'],
      ['s', 'shadows'],
    ]) {
      const before = await state(`pronk.shown.${id}`);
      await page.keyboard.press(key);
      check((await state(`pronk.shown.${id}`)) === !before, `${key} flips ${id}`);
      check(
        (await state(`document.querySelector('[data-toggle=${id}]').checked`)) === !before,
        `the box of ${id} follows`,
      );
      await page.keyboard.press(key);
      check((await state(`pronk.shown.${id}`)) === before, `${key} flips ${id} back`);
    }
  },
  'plots fill, and a search adds a curve': async () => {
    await page.keyboard.press('Space');
    const [points, curves] = await state('[pronk.points, pronk.curves]');
    check((await state('pronk.plots')) > 0 && curves > 0, 'there are plots at the start');
    await until(page, `pronk.points > ${points} + 10`, 'samples come');
    await page.fill('input[type=search]', 'joints/force LF_KFE');
    await page.click('.result');
    check((await state('pronk.curves')) === curves + 1, 'there is one curve more');
    const chips = "[...document.querySelectorAll('.chip')].map((chip) => chip.textContent)";
    await until(page, `${chips}.some((text) => /LF_KFE.*[1-9]/.test(text))`, 'the new curve has values');
    await page.click('.plot .icon');
    check((await state('pronk.plots')) > 0, 'a plot can be removed');
    await page.keyboard.press('Escape');
  },
  'a slider sends its value': async () => {
    await page.click('[role=tab]:has-text("Parameters")');
    await page.fill('input[data-key="controller.forward"]', '0.1');
    const sent = page.sent.filter((message) => message.type === 'set');
    check(
      sent.some(({ key, value }) => key === 'controller.forward' && near(Number(value), 0.1, 0.02)),
      'set was sent',
    );
    await sleep(300);
    check((await state('pronk.errors')).length === 0, 'the server took it');
  },
  'a refused value goes back to the last good one': async () => {
    const field = 'input.value[aria-label="controller.forward"]';
    const good = await page.inputValue(field);
    await page.fill(field, '9');
    await page.press(field, 'Enter');
    await until(page, 'pronk.errors.length === 1', 'the server refuses it');
    check((await page.inputValue(field)) === good, 'the field has the last good value');
    const slider = Number(await page.inputValue('input[data-key="controller.forward"]'));
    check(near(slider, Number(good), 0.02), 'so has the slider');
    const wide = "[...document.querySelectorAll('.parameters [type=range]')].filter(({ min, max }) => max - min > 1e4)";
    check((await state(`${wide}.length`)) === 0, 'what has no sensible range has no slider');
  },
  'a new duration moves the end of the timeline': async () => {
    const field = 'input.value[aria-label="duration"]';
    await page.fill(field, '500');
    await page.press(field, 'Enter');
    await until(page, "document.querySelector('.times .muted').textContent === '500.0 s'", 'the end is 500 s');
  },
  'the help names every key': async () => {
    await page.keyboard.press('F1');
    check(await page.isVisible('.help'), 'F1 opens the help');
    check((await page.textContent('.help')).includes('support polygon'), 'it names the toggles');
    await page.keyboard.press('Escape');
    check(!(await page.isVisible('.help')), 'escape closes it');
  },
  'P saves a picture that is not blank': async () => {
    const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('p')]);
    check(download.suggestedFilename() === 'starleth-trot.png', 'the file has the name of the scenario');
    const png = readFileSync(await download.path());
    check((await colours(chrome, png)) > 100, 'the picture has many colours');
  },
  'a phone shows the picture first': async () => {
    await pause();
    const phone = await openViewer(chrome, server.url, {
      viewport: { width: 390, height: 720 },
      hasTouch: true,
      isMobile: true,
    });
    check(!(await phone.isVisible('.panel')), 'the panel is closed');
    check(await phone.evaluate('document.documentElement.scrollWidth <= innerWidth'), 'nothing sticks out');
    await phone.tap('[aria-label="panel (L)"]');
    check(await phone.isVisible('.panel'), 'a tap opens the panel');
    await phone.close();
  },
  'the end of the server is told': async () => {
    check(page.complaints.length === 0, `the console has no error: ${page.complaints}`);
    await server.stop();
    await until(page, "document.body.dataset.connection === 'lost'", 'the page says that the connection is lost');
    check(!(await state('pronk.connected')), 'the state says so too');
  },
});

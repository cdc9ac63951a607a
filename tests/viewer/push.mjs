// Hands on the robot: select, push, look.
import { browser, check, openViewer, tests, until, view } from './support.mjs';

const chrome = await browser();
const server = await view('starleth-stand', '--set', 'duration=1000');
const page = await openViewer(chrome, server.url);
const state = (expression) => page.evaluate(expression);

await tests({
  'a double-click selects a body and shows it': async () => {
    await page.mouse.dblclick(...(await state('pronk.screen(0)')));
    await until(page, 'pronk.selected !== null', 'a body is selected');
    check((await page.textContent('.card')).includes('kg'), 'the card shows the mass');
    await page.keyboard.press('Escape');
    check((await state('pronk.selected')) === null, 'escape deselects');
  },
  'ctrl and a drag push the trunk': async () => {
    const [x, y] = await state('pronk.screen(0)');
    const before = await state('pronk.bodies[0].position');
    await page.keyboard.down('Control');
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 60, y, { steps: 5 });
    check((await state('pronk.pushing')) >= 0, 'a body is held');
    await until(
      page,
      `Math.hypot(pronk.bodies[0].position[0] - ${before[0]}, pronk.bodies[0].position[1] - ${before[1]}) > 0.02`,
      'the trunk gives way',
    );
    await page.mouse.up();
    await page.keyboard.up('Control');
    check((await state('pronk.pushing')) === -1, 'it is let go');
    const pushes = page.sent.filter((message) => message.type === 'push');
    check(
      pushes.some(({ force }) => force && Math.hypot(...force) > 1),
      'a force was sent',
    );
    check(pushes.at(-1).body === -1, 'the end was sent');
  },
  'escape ends a push': async () => {
    const [x, y] = await state('pronk.screen(0)');
    await page.keyboard.down('Control');
    await page.mouse.move(x, y);
    await page.mouse.down();
    check((await state('pronk.pushing')) >= 0, 'a body is held');
    await page.keyboard.up('Control');
    await page.keyboard.press('Escape');
    check((await state('pronk.pushing')) === -1, 'it is let go');
    await page.mouse.up();
  },
  'a plain drag turns the camera and pushes nothing': async () => {
    const [x, y] = await state('pronk.screen(0)');
    const sent = page.sent.filter((message) => message.type === 'push').length;
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 120, y + 10, { steps: 4 });
    await page.mouse.up();
    check(page.sent.filter((message) => message.type === 'push').length === sent, 'nothing is sent');
    const [hip, after] = [await state('pronk.screen(1)'), await state('pronk.following')];
    check(hip.every(Number.isFinite) && after === 0, 'the camera still follows the trunk');
  },
  'the number keys look from other sides': async () => {
    await page.keyboard.press('2');
    const side = await state('pronk.screen(1)');
    await page.keyboard.press('4');
    const top = await state('pronk.screen(1)');
    check(Math.hypot(side[0] - top[0], side[1] - top[1]) > 5, 'a hip is elsewhere in the picture');
  },
  'nothing was written to the console': async () => {
    check(page.complaints.length === 0, `the console has no error: ${page.complaints}`);
    check((await state('pronk.errors')).length === 0, 'the server refused nothing');
  },
});

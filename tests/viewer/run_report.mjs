// The report of a run in a real browser: the replay and the figures move together, nothing is fetched, it fits a phone.
import { join } from 'node:path';
import { statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { browser, check, near, needs, open, run, scratch, sleep, tests, until } from './support.mjs';

needs();
const folder = scratch();
run('run', 'starleth-trot', '--duration', '2', '-o', folder);
const report = join(folder, 'report.html');

const chrome = await browser();
const page = await open(chrome, 'about:blank', { viewport: { width: 1100, height: 700 } });
const asked = [];
page.on('request', (request) => request.url().startsWith('file:') || asked.push(request.url()));
await page.context().setOffline(true);
await page.goto(String(pathToFileURL(report)));

// Where the cursors stand, as times.
const cursors = () =>
  page.evaluate(() =>
    [...document.querySelectorAll('.cursor')]
      .filter((c) => c.getAttribute('visibility') === 'visible')
      .map((c) => {
        const x = Number(/translate\(([-\d.]+)/.exec(c.getAttribute('transform'))[1]),
          d = c.dataset;
        return Number(d.from) + ((d.to - d.from) * (x - d.left)) / d.width;
      }),
  );

await tests({
  'the robot is drawn beside the figures': async () => {
    await until(page, "document.querySelector('.pronk-replay canvas') !== null", 'the replay is there');
    const counts = await page.evaluate(() =>
      ['svg.pk-plot', 'h2', 'nav a'].map((s) => document.querySelectorAll(s).length),
    );
    check(
      counts[0] > 40 && counts[1] === counts[2],
      `there are figures, and the contents list all sections: ${counts}`,
    );
  },
  'the slider moves a cursor in all figures along time': async () => {
    check((await cursors()).length === 0, 'no cursor is shown at first');
    await page.fill('.pronk-bar input[type=range]', '1.5');
    const at = await cursors();
    check(at.length > 20 && at.every((t) => near(t, 1.5, 0.01)), `all cursors are at 1.5 s: ${at}`);
  },
  'a click on a figure takes the replay there': async () => {
    const place = await page.evaluate(() => {
      const frame = document.querySelector('#trunk ~ figure svg .frame');
      frame.scrollIntoView({ behavior: 'instant', block: 'center' });
      const { x, y, width, height } = frame.getBoundingClientRect();
      return { x: x + width / 2, y: y + height / 2 };
    });
    await page.mouse.click(place.x, place.y);
    check(near(Number(await page.inputValue('.pronk-bar input[type=range]')), 1, 0.02), 'the replay is at 1 s');
  },
  'the replay of motors has colours': async () => {
    const other = scratch();
    run('run', 'starleth-sea', '--duration', '1', '-o', other);
    const motors = await open(chrome, String(pathToFileURL(join(other, 'report.html'))));
    for (const [mode, text] of [
      ['load', 'torque'],
      ['temperature', '155 °C'],
    ]) {
      await motors.selectOption('.pronk-bar [aria-label="colour by"]', mode);
      check((await motors.textContent('.pronk-picture .scale')).includes(text), `the legend of ${mode} is there`);
    }
    await motors.fill('.pronk-bar input[type=range]', '0.9');
    await sleep(500);
    check(motors.complaints.length === 0, `the console has no error: ${motors.complaints}`);
    await motors.close();
  },
  'it is no wider than a phone': async () => {
    await page.setViewportSize({ width: 390, height: 800 });
    const width = await page.evaluate('document.documentElement.scrollWidth');
    check(width <= 390, `the page is ${width} pixels wide`);
  },
  'dark text is light': async () => {
    await page.emulateMedia({ colorScheme: 'dark' });
    const [paper, ink] = await page.evaluate(() => [
      getComputedStyle(document.body).backgroundColor,
      getComputedStyle(document.querySelector('svg.pk-plot .title')).fill,
    ]);
    const sum = (color) =>
      color
        .match(/\d+/g)
        .slice(0, 3)
        .reduce((a, b) => a + Number(b), 0);
    check(sum(paper) < 200 && sum(ink) > 500, `the paper is ${paper}, the ink of figures ${ink}`);
  },
  'on paper it is light, without controls': async () => {
    await page.emulateMedia({ colorScheme: 'dark', media: 'print' });
    const paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    check(paper === 'rgb(255, 255, 255)', `the paper is ${paper}`);
    check(!(await page.isVisible('.pronk-bar')) && !(await page.isVisible('nav')), 'nothing asks for a hand');
  },
  'it is small, needs no network and complains of nothing': async () => {
    check(statSync(report).size < 3e6, 'it is below 3 MB');
    check(asked.length === 0, `nothing is fetched: ${asked}`);
    check(page.complaints.length === 0, `the console has no error: ${page.complaints}`);
  },
});

// The replay inside a report: one script, loaded from a file, with no network.
import { copyFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { browser, check, dist, near, needs, open, scratch, tests, until } from './support.mjs';

needs();
const folder = scratch();
const base64 = (values) => Buffer.from(new Float32Array(values).buffer).toString('base64');

// A ball that moves along x for 2 s, and touches the ground at each second sample.
const time = [0, 0.5, 1, 1.5, 2];
const scene = {
  format: 'pronk-scene-1',
  name: 'ball',
  dt: 0.01,
  gravity: [0, 0, -9.81],
  robots: [{ name: 'ball', body: 0, nbody: 1, trunk: 0 }],
  bodies: [{ name: 'ball', mass: 2, parent: -1, robot: 0 }],
  joints: [],
  feet: [{ name: 'ball', body: 0, point: [0, 0, -0.1], radius: 0 }],
  meshes: [],
  shapes: [
    {
      name: '',
      link: 'ball',
      body: 0,
      visual: true,
      kind: 'sphere',
      size: [0.1],
      mesh: -1,
      pose: [0, 0, 0, 1, 0, 0, 0],
      rgba: [0.8, 0.2, 0.1, 1],
    },
  ],
  terrain: [{ kind: 'plane', point: [0, 0, 0], normal: [0, 0, 1], material: 0 }],
  materials: [{ name: 'floor', friction: 0.5 }],
};
const data = {
  time,
  pose: base64(time.flatMap((t) => [t, 0, 0.1, 1, 0, 0, 0])),
  contacts: {
    offset: [0, 1, 1, 2, 2, 3],
    values: base64([0, 1, 2].flatMap((t) => [t, 0, 0, 0, 0, 1, 0, 0, 19.62, 0.5])),
  },
  com: base64(time.flatMap((t) => [t, 0, 0.1])),
};
// Fifty robots of 13 bodies and 17 shapes, which stand and turn.
function crowd(count) {
  const made = { ...scene, robots: [], bodies: [], shapes: [], feet: [] };
  const poses = [];
  for (let robot = 0; robot < count; robot++) {
    made.robots.push({ name: `r${robot}`, body: 13 * robot, nbody: 13, trunk: 13 * robot });
    for (let k = 0; k < 13; k++) {
      const body = 13 * robot + k;
      made.bodies.push({ name: `r${robot}/b${k}`, mass: 1, parent: body - 1, robot });
      poses.push([robot % 10, Math.floor(robot / 10), 0.1 * (k + 1)]);
      const shape = (kind, size, z) =>
        made.shapes.push({
          ...scene.shapes[0],
          body,
          kind,
          size,
          pose: [0, 0, z, 1, 0, 0, 0],
          rgba: [k / 13, 0.5, robot / count, 1],
        });
      shape(k === 0 ? 'box' : 'cylinder', [0.05, 0.1, 0.05], 0);
      if (k % 3 === 0 && k > 0) shape('sphere', [0.02, 0, 0], 0.05);
    }
  }
  const turned = (angle) => poses.flatMap((p) => [...p, Math.cos(angle), 0, 0, Math.sin(angle)]);
  const contact = poses.filter((p, i) => i % 6 === 0).flatMap((p) => [p[0], p[1], 0, 0, 0, 1, 0, 0, 50, 0.8]);
  const n = contact.length / 10;
  return [
    made,
    {
      time: [0, 1],
      pose: base64([...turned(0), ...turned(0.5)]),
      com: base64([0, 0, 0, 0, 0, 0]),
      contacts: { offset: [0, n, 2 * n], values: base64([...contact, ...contact]) },
    },
  ];
}

// Every kind of shape, of a body and of the ground; the mesh is a tetrahedron.
const words = (values) => Buffer.from(new Uint32Array(values).buffer).toString('base64');
const tetrahedron = {
  positions: base64([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1]),
  triangles: words([0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]),
};
const sizes = {
  sphere: [0.1],
  box: [0.1, 0.2, 0.3],
  cylinder: [0.1, 0.2],
  capsule: [0.1, 0.2],
  ellipsoid: [0.1, 0.2, 0.3],
  cone: [0.1, 0.2],
  mesh: [],
};
function zoo(body, ground) {
  const at = (i) => [0.5 * i - 2, 0.5, 0.2, Math.SQRT1_2, Math.SQRT1_2, 0, 0];
  const parts = Object.entries(sizes).map(([kind, size], i) => ({ kind, size, mesh: 0, pose: at(i), material: 0 }));
  const made = { ...scene, meshes: [tetrahedron] };
  if (body) made.shapes = [...parts, { ...parts.at(-1), kind: 'convex' }].map((part) => ({ ...scene.shapes[0], ...part }));
  // the last one as older files have it: a mesh in the world
  if (ground) made.terrain = [...scene.terrain, ...parts, { kind: 'mesh', mesh: 0, material: 0 }];
  return made;
}

copyFileSync(join(dist, 'replay.js'), join(folder, 'replay.js'));
writeFileSync(
  join(folder, 'report.html'),
  `<!doctype html><meta charset="utf-8"><body><div id="here"></div>
<script src="replay.js"></script><script>
window.times = [];
window.addEventListener('pronktime', (event) => times.push(event.detail.time));
window.replay = PronkReplay.mount(document.getElementById('here'), ${JSON.stringify(scene)}, ${JSON.stringify(data)});
</script></body>`,
);

const chrome = await browser();
const page = await open(chrome, 'about:blank');
const asked = [];
page.on(
  'request',
  (request) => request.url().startsWith('file:') || request.url().startsWith('data:') || asked.push(request.url()),
);
await page.context().setOffline(true);
await page.goto(String(pathToFileURL(join(folder, 'report.html'))));

await tests({
  'the script is small': async () => {
    check(statSync(join(dist, 'replay.js')).size < 800e3, 'replay.js is below 800 kB');
  },
  'it mounts from a file': async () => {
    await until(page, 'window.replay', 'the replay is there');
    check(await page.isVisible('.pronk-replay canvas'), 'there is a picture');
    check((await page.evaluate('replay.time')) === 0, 'it stands at the start');
  },
  'the slider seeks, and figures hear of it': async () => {
    await page.fill('.pronk-bar input[type=range]', '1.25');
    check(near(await page.evaluate('replay.time'), 1.25, 1e-6), 'time is 1.25 s');
    check(near(await page.evaluate('times.at(-1)'), 1.25, 1e-6), 'pronktime told it');
  },
  'figures can seek': async () => {
    await page.evaluate("window.dispatchEvent(new CustomEvent('pronkseek', { detail: { time: 0.5 } }))");
    check((await page.evaluate('replay.time')) === 0.5, 'time is 0.5 s');
  },
  'it plays to its end': async () => {
    await page.click('.pronk-bar button');
    check(await page.evaluate('replay.playing'), 'it plays');
    await until(page, 'replay.time === 2 && !replay.playing', 'it ends at 2 s');
  },
  'the picture stays for the printer': async () => {
    const count = await page.evaluate(async () => {
      const canvas = document.querySelector('.pronk-replay canvas');
      const copy = new OffscreenCanvas(canvas.width, canvas.height);
      const context = copy.getContext('2d');
      context.drawImage(canvas, 0, 0);
      return new Set(new Uint32Array(context.getImageData(0, 0, canvas.width, canvas.height).data.buffer)).size;
    });
    check(count > 50, `the canvas is not blank, it has ${count} colours`);
  },
  'fifty robots are a few instanced draws': async () => {
    const { calls, move } = await page.evaluate(async ([robots, samples]) => {
      const box = document.createElement('div');
      box.style.width = '240px';
      document.body.append(box);
      const handle = PronkReplay.mount(box, robots, samples);
      const moves = [];
      for (let i = 0; i < 15; i++) {
        handle.seek(i / 15);
        await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
        moves.push(handle.cost.move);
      }
      moves.sort((a, b) => a - b);
      return { calls: handle.cost.calls, move: moves[7] };
    }, crowd(50));
    const { length } = crowd(50)[0].shapes;
    console.log(`        50 robots, ${length} shapes: ${calls} draw calls, ${move.toFixed(2)} ms of script (median)`);
    check(calls < 40, `the number of draw calls does not grow with the robots, there are ${calls}`);
  },
  'bodies have the colour of their load or their temperature': async () => {
    const driven = {
      ...scene,
      joints: [{ name: 'hip', column: 0, q: 0, u: 0, body: 0, effort: 10 }],
    };
    const motors = [{ name: 'hip', kind: 'dc', constant: 2, resistance: 1, voltage: 24, current: 4, ambient: 25, temperature: 125 }];
    const channels = [
      { name: 'joints/force', columns: ['hip'], values: base64([0, 4, -8, 2, 16]) },
      { name: 'actuators/temperature', columns: ['hip'], values: base64([25, 50, 75, 100, 125]) },
    ];
    const seen = await page.evaluate(
      async ([one, samples]) => {
        const box = document.createElement('div');
        box.style.width = '640px';
        document.body.append(box);
        const handle = PronkReplay.mount(box, one, samples),
          select = box.querySelector('[aria-label="colour by"]'),
          found = {};
        for (const mode of ['none', 'load', 'temperature']) {
          select.value = mode;
          select.dispatchEvent(new Event('change'));
          found[mode] = [];
          for (const time of samples.time) {
            handle.seek(time);
            await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
            found[mode].push(handle.parts?.[0] ?? null);
          }
          found[`${mode} legend`] = box.querySelector('.scale').hidden ? '' : box.querySelector('.scale').textContent;
        }
        return found;
      },
      [driven, { ...data, motors, channels }],
    );
    check(String(seen.none) === ',,,,' && seen['none legend'] === '', 'at first bodies have their own colours');
    // The current's limit, 2 N m/A times 4 A, is less than the model's 10 N m.
    check(String(seen.load) === '0,0.5,1,0.25,2', `loads are parts of 8 N m: ${seen.load}`);
    check(String(seen.temperature) === '0,0.25,0.5,0.75,1', `temperatures go from 25 to 125 °C: ${seen.temperature}`);
    check(seen['temperature legend'].includes('125 °C'), `the legend tells it: ${seen['temperature legend']}`);
    check(!(await page.isVisible('#here [aria-label="colour by"]')), 'without data there is nothing to choose');
  },
  'every kind of shape is drawn, of bodies and of the ground': async () => {
    const calls = await page.evaluate(
      async ([scenes, samples]) => {
        const counts = [];
        for (const one of scenes) {
          const box = document.createElement('div');
          box.style.width = '240px';
          document.body.append(box);
          const handle = PronkReplay.mount(box, one, samples);
          handle.seek(0.5);
          await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
          counts.push(handle.cost.calls);
        }
        return counts;
      },
      [[zoo(false, false), zoo(true, false), zoo(false, true)], data],
    );
    console.log(`        draw calls: ${calls}`);
    check(calls[1] >= calls[0] + 5, 'five more geometries of bodies: an ellipsoid is a sphere, a hull a mesh');
    check(calls[2] >= calls[0] + 8, 'eight more solids');
  },
  'it needs no network and complains of nothing': async () => {
    check(asked.length === 0, `nothing is fetched: ${asked}`);
    check(page.complaints.length === 0, `the console has no error: ${page.complaints}`);
  },
});

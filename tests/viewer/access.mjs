// Who may come in: the token, the Origin, and what --read-only refuses.
import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { browser, check, needs, open, openViewer, tests, until, view } from './support.mjs';

needs();
const server = await view('starleth-stand');
const watched = await view('starleth-stand', '--set', 'duration=1000', '--read-only');
const chrome = await browser();
const origin = `http://127.0.0.1:${server.port}`;

/** The status of a request; 101 when a WebSocket opened. */
function statusOf(path, headers = {}) {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port: server.port, path, headers, agent: false });
    asked.on('upgrade', (response, socket) => {
      socket.destroy();
      resolve(response.statusCode);
    });
    asked.on('response', (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    asked.on('error', reject);
    asked.end();
  });
}

const socketStatus = (token, from, protocol = 'pronk-1') =>
  statusOf(`/ws?token=${token}`, {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': 13,
    'sec-websocket-protocol': protocol,
    'sec-websocket-key': randomBytes(16).toString('base64'),
    ...(from ? { origin: from } : {}),
  });

await tests({
  'the page needs the token': async () => {
    check((await statusOf(`/?token=${server.token}`)) === 200, 'the right token gets the page');
    check((await statusOf('/?token=wrong')) === 403, 'a wrong token is refused');
    check((await statusOf('/')) === 403, 'no token is refused');
  },
  'the socket needs the token': async () => {
    check((await socketStatus(server.token, origin)) === 101, 'the right token opens it');
    check((await socketStatus('wrong', origin)) === 403, 'a wrong token is refused');
    check((await socketStatus(server.token.slice(0, -1), origin)) === 403, 'a part of the token is refused');
  },
  'the socket needs the right Origin': async () => {
    check((await socketStatus(server.token, 'http://example.org')) === 403, 'another site is refused');
    check((await socketStatus(server.token, `http://127.0.0.1:${server.port + 1}`)) === 403, 'another port is refused');
    check((await socketStatus(server.token, null)) === 403, 'no Origin is refused');
  },
  'the host must be the server': async () => {
    check((await statusOf(`/?token=${server.token}`, { host: 'example.org' })) === 403, 'another name is refused');
  },
  'files outside the folder are not served': async () => {
    for (const path of [
      '/../package.json',
      '/assets/../../package.json',
      '/%2e%2e/package.json',
      '/assets/%2e%2e/%2e%2e/package.json',
    ]) {
      check((await statusOf(path)) >= 400, `${path} is refused`);
    }
  },
  'a page from elsewhere cannot connect': async () => {
    const page = await open(chrome, 'about:blank');
    const opened = await page.evaluate(
      (address) =>
        new Promise((resolve) => {
          const socket = new WebSocket(address, 'pronk-1');
          socket.onopen = () => resolve(true);
          socket.onerror = () => resolve(false);
        }),
      `ws://127.0.0.1:${server.port}/ws?token=${server.token}`,
    );
    check(!opened, 'the browser is refused, even with the token');
    await page.close();
  },
  'read-only shows and refuses': async () => {
    const page = await openViewer(chrome, watched.url);
    check(await page.evaluate('pronk.readOnly'), 'the page knows');
    check(await page.isDisabled('[aria-label="one step (→)"]'), 'buttons are off');
    const time = await page.evaluate('pronk.time');
    await page.keyboard.press('Space');
    await until(page, "pronk.errors.some((text) => text.includes('read-only'))", 'the server says why');
    await until(page, `pronk.time > ${time} + 0.1`, 'the run goes on');
    check(page.complaints.length === 0, `the console has no error: ${page.complaints}`);
  },
});

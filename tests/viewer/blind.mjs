// A browser that cannot draw.
import { browser, check, open, tests, until, view } from './support.mjs';

const chrome = await browser({ draws: false });
const server = await view('starleth-stand');

await tests({
  'a page without WebGL says so': async () => {
    const page = await open(chrome, server.url);
    await until(page, "document.querySelector('[role=alert]') !== null", 'there is a message');
    check((await page.textContent('[role=alert]')).includes('WebGL 2'), 'it names what is missing');
    check((await page.evaluate('pronk.errors')).length > 0, 'the state says so too');
  },
});

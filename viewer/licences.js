// The licences of what is bundled travel with the bundle: dist/LICENSES.txt.
import { readFileSync } from 'node:fs';

const PACKAGES = ['three', 'uplot'];

/** @returns {import('vite').Plugin} */
export function licences() {
  return {
    name: 'licences',
    generateBundle() {
      const source = PACKAGES.map(
        (name) => `${name}\n\n${readFileSync(new URL(`node_modules/${name}/LICENSE`, import.meta.url), 'utf8')}`,
      );
      this.emitFile({ type: 'asset', fileName: 'LICENSES.txt', source: source.join('\n') });
    },
  };
}

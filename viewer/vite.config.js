// The page that `pronk view` serves: dist/index.html and dist/assets/.
import { defineConfig } from 'vite';
import { licences } from './licences.js';

export default defineConfig({
  base: './',
  plugins: [licences()],
  build: {
    target: 'es2022',
    outDir: 'dist',
    emptyOutDir: true,
    // Nothing in data: addresses, which the server's content security policy refuses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1000,
    reportCompressedSize: false,
  },
});

// The replay that reports carry inside: dist/replay.js, one script that sets window.PronkReplay.
import { defineConfig } from 'vite';

export default defineConfig({
  build: {
    target: 'es2022',
    outDir: 'dist',
    emptyOutDir: false,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1000,
    lib: { entry: 'src/replay.js', name: 'PronkReplay', formats: ['iife'], fileName: () => 'replay.js' },
  },
});

import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// API server for "npx vite console".
const service = process.env.WAYPOST_URL ?? 'http://127.0.0.1:8080';

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [react()],
  server: { proxy: { '/api': service, '/docs': service } },
  build: {
    target: 'es2023',
    // Browsers with light-dark(); the polyfill does not support the colour scheme switch.
    cssTarget: ['chrome125', 'firefox128', 'safari18'],
    // No inlined assets: the CSP forbids them.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 800,
    reportCompressedSize: false,
  },
});

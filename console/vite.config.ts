import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// Where a Waypost answers while one works on the console with "npx vite console".
const service = process.env.WAYPOST_URL ?? 'http://127.0.0.1:8080';

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [react()],
  server: { proxy: { '/api': service, '/docs': service } },
  build: {
    target: 'es2023',
    // Those that know light-dark(); its replacement for older ones does not know the colour switch.
    cssTarget: ['chrome125', 'firefox128', 'safari18'],
    // Nothing inline: the page's policy refuses it.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 800,
    reportCompressedSize: false,
  },
});

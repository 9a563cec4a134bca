// Runs before the first paint to prevent a white flash in dark mode. A file, because the CSP forbids inline scripts.
(() => {
  let chosen = 'auto';
  try {
    chosen = localStorage.getItem('waypost-color-scheme') ?? 'auto';
  } catch {
    // localStorage can be disabled; the system setting then applies.
  }
  const isDark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', isDark ? 'dark' : 'light');
})();

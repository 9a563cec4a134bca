const key = 'waypost-reloaded-for';

/** After an update the files of the old build are gone: the page is read anew, once for each file that is missing. */
export function watchForNewBuild(): void {
  addEventListener('vite:preloadError', (event) => {
    const missing = String((event as Event & { payload?: Error }).payload?.message);
    if (sessionStorage.getItem(key) === missing) return;
    sessionStorage.setItem(key, missing);
    event.preventDefault();
    location.reload();
  });
}

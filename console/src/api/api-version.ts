// Generated from src/api/versions/timeline.ts. To update:
// setup/with-runtime npx vitest run console/api-types --update

/** The API version that the console uses, independent of the partner's pinned version. */
export const apiVersion = '20260713';

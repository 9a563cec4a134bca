import { afterAll, beforeAll, describe } from 'vitest';
import { describeInBrowser } from '../support/browser.ts';
import { ConsoleScene, type ConsoleUser } from '../support/console.ts';
import { backTests } from './demo-pages/back.ts';
import { dashboardTests } from './demo-pages/dashboard.ts';
import { homeTests } from './demo-pages/home.ts';
import { narrowTests } from './demo-pages/narrow.ts';
import { postTests } from './demo-pages/posts.ts';
import { publicPageTests } from './demo-pages/public-pages.ts';

// Demo data is created once for all of these tests, because it takes longer than most of them.
describeInBrowser('with demo data', { timeout: 120_000 }, () => {
  let scene: ConsoleScene;
  let admin: ConsoleUser;

  beforeAll(async () => {
    scene = await ConsoleScene.start({
      WAYPOST_SANDBOX: 'on',
      WAYPOST_SANDBOX_LIFE: 'off',
      WAYPOST_EMIT_EXAMPLES: 'on',
    });
    admin = await scene.addUser({ role: 'ADMIN', name: 'Anna Berg' });
    await scene.createDemoData(5);
  }, 180_000);
  afterAll(() => scene?.close());

  const fixture = () => ({ scene, admin });
  describe('posts', () => postTests(fixture));
  describe('public pages', () => publicPageTests(fixture));
  describe('narrow screens', () => narrowTests(fixture));
  describe('browser history', () => backTests(fixture));
  describe('the dashboard', () => dashboardTests(fixture));
  // Last, when all figures have been computed.
  describe('the home page', () => homeTests(fixture));
});

import { afterAll, beforeAll, test } from 'vitest';
import { describeInBrowser } from '../support/browser.ts';
import { ConsoleScene } from '../support/console.ts';
describeInBrowser('scratch', { timeout: 180_000 }, () => {
  let scene: ConsoleScene;
  beforeAll(async () => { scene = await ConsoleScene.start(); }, 120_000);
  afterAll(() => scene?.close());
  test('x', async () => {
    const other = await scene.addPerson({ role: 'ADMIN' });
    await scene.database.pool.query(
      `insert into audit_trail (partner_id, happened_at, actor, action, subject, subject_id)
       select $1, now() - make_interval(secs => 10001 - number), 'SYSTEM', 'CHANGED', 'LOCATION', number
       from generate_series(1, 10000) as number`, [scene.partner.id]);
    const { page, complaints } = await scene.openAs(other, '/settings/audit?actor=SYSTEM');
    await page.waitForTimeout(4000);
    const began = Date.now();
    for (let i = 0; i < 70; i++) { await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)'); await page.waitForTimeout(400);
      const t = await page.evaluate('[document.documentElement.scrollHeight, scrollY, document.querySelectorAll("tr").length, [...document.querySelectorAll("tbody tr")].at(-1)?.textContent.slice(0,40), document.querySelector("main").textContent.slice(-30)].join(" | ")');
      if (i % 6 === 0) console.log(Date.now() - began, t); if (String(t).includes('That is all')) { console.log('END', i, Date.now() - began, t); break; } }
    await page.screenshot({ path: '/tmp/shots/scratch.png' });
    console.log(complaints);
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestPartner } from '../../../../test/support/api.ts';
import { runJobs } from '../../../../test/support/jobs.ts';
import { directoryIn, NearMeScene } from '../../../../test/support/near-me.ts';
import { anyCaller } from '../../../../test/support/sandbox.ts';
import { directoryList } from '../../directories/directory-list.ts';
import { connectDirectories } from '../../directories/open-directories.ts';

let scene: NearMeScene;
let partner: TestPartner;
beforeAll(async () => {
  scene = await NearMeScene.open();
  partner = await scene.api.addPartner();
});
afterAll(() => scene.close());

const askedTypes = directoryList.filter(({ supports }) => supports.onlineListing).map(({ type }) => type);

describe('a report', () => {
  test('contains progress and results by directory', async () => {
    const business = scene.business({ website: 'https://www.found.example' });
    await scene.addDirectoryListing('GOOGLE', business);
    await scene.addDirectoryListing('YELP', business, { phone: '+49 30 901820', claim: 'CLAIMABLE' });
    await scene.addDirectoryListing('FOURSQUARE', business, { openingHours: [] });
    const begun = await scene.startReport(partner, business);
    expect((await scene.read(begun)).body.response).toMatchObject({
      status: 'RUNNING',
      progress: 0,
      score: null,
      directories: [],
      pendingDirectories: askedTypes,
      recommendations: [],
    });

    const report = await scene.finish(begun);
    expect(report).toMatchObject({ id: begun.id, status: 'FINISHED', progress: 100, pendingDirectories: [] });
    expect(report.directories.map(({ directoryType }: { directoryType: string }) => directoryType)).toEqual(askedTypes);
    expect(directoryIn(report, 'GOOGLE')).toEqual({
      directoryType: 'GOOGLE',
      directoryName: 'Google',
      status: 'FOUND',
      listingUrl: expect.stringMatching(/^https:\/\/google\.example\/places\//),
      fields: [
        { field: 'name', expected: business.name, found: business.name, status: 'MATCH' },
        { field: 'streetAndNo', expected: business.streetAndNo, found: business.streetAndNo, status: 'MATCH' },
        { field: 'zip', expected: '50823', found: '50823', status: 'MATCH' },
        { field: 'city', expected: 'Köln', found: 'Köln', status: 'MATCH' },
        { field: 'country', expected: 'DE', found: 'DE', status: 'MATCH' },
        { field: 'phone', expected: business.phone, found: expect.any(String), status: 'MATCH' },
        { field: 'website', expected: 'https://www.found.example', found: expect.any(String), status: 'MATCH' },
        { field: 'categories', expected: 'Bakery', found: 'Bakery', status: 'MATCH' },
        { field: 'openingHours', found: 'Mon 08:00–18:00', status: 'PRESENT' },
      ],
    });
    const phone = directoryIn(report, 'YELP').fields.find(({ field }: { field: string }) => field === 'phone');
    expect(phone).toMatchObject({ expected: business.phone, status: 'MISMATCH' });
    expect(phone.found.replace(/\D/g, '')).toMatch(/30901820$/);
    expect(directoryIn(report, 'BING')).toMatchObject({ status: 'NOT_FOUND', fields: [] });

    expect(report.recommendations.map(({ type, field }: { type: string; field?: string }) => [type, field])).toEqual([
      ['CORRECT_FIELD', 'phone'],
      ['CREATE_LISTING', undefined],
      ['COMPLETE_FIELD', 'openingHours'],
      ['CLAIM_LISTING', undefined],
    ]);
    expect(report.recommendations[0]).toMatchObject({
      directoryTypes: ['YELP'],
      message: expect.stringContaining('Yelp'),
    });
    expect(report.recommendations[2]).toMatchObject({ directoryTypes: ['FOURSQUARE'] });
  });

  test('has a score of matching over comparable fields, weighted by directory', async () => {
    const business = scene.business();
    await scene.addDirectoryListing('GOOGLE', business);
    await scene.addDirectoryListing('FACEBOOK', business, { phone: '+49 30 901820' });
    const report = await scene.finish(await scene.startReport(partner, business));
    const given = ['name', 'street', 'zip', 'city', 'country', 'phone', 'categories'];
    const comparable = directoryList
      .filter(({ supports }) => supports.onlineListing)
      .map(({ weight, fields }) => weight * given.filter((field) => fields.includes(field)).length);
    const reached = 7 * 30 + 6 * 20;
    expect(report.score).toBe(Math.round((100 * reached) / comparable.reduce((sum, points) => sum + points)));
  });

  test('finds a listing with another spelling, but not another branch', async () => {
    const business = scene.business();
    await scene.addDirectoryListing('BING', business, {
      name: `${business.name.toUpperCase()} GmbH`,
      phone: business.phone.replace('+49', '0'),
    });
    await scene.addDirectoryListing('CYLEX', business, {
      street: 'Hauptstraße',
      streetNo: '5',
      city: 'Berlin',
      zip: '10115',
    });
    const report = await scene.finish(await scene.startReport(partner, business));
    expect(directoryIn(report, 'BING').status).toBe('FOUND');
    expect(directoryIn(report, 'CYLEX').status).toBe('NOT_FOUND');
  });

  test('reports duplicate listings', async () => {
    const business = scene.business();
    await scene.addDirectoryListing('GOOGLE', business);
    await scene.addDirectoryListing('GOOGLE', business);
    const report = await scene.finish(await scene.startReport(partner, business));
    expect(report.recommendations).toContainEqual(
      expect.objectContaining({ type: 'REMOVE_DUPLICATES', directoryTypes: ['GOOGLE'] }),
    );
  });

  test('a directory that is down has status ERROR and does not affect the score', async () => {
    const business = scene.business();
    await scene.addDirectoryListing('GOOGLE', business);
    await scene.control.simulateOutage('YELP');
    await scene.control.simulateGarbage('BING');
    const report = await scene.finish(await scene.startReport(partner, business));
    await scene.control.endFailure('YELP');
    await scene.control.endFailure('BING');
    expect(report.status).toBe('FINISHED');
    for (const type of ['YELP', 'BING']) {
      expect(directoryIn(report, type)).toMatchObject({
        status: 'ERROR',
        fields: [],
        message: expect.stringMatching(/later/),
      });
    }
    expect(directoryIn(report, 'GOOGLE').status).toBe('FOUND');
    expect(report.recommendations).toContainEqual(
      expect.objectContaining({
        type: 'CHECK_AGAIN',
        directoryTypes: ['BING', 'YELP'],
        message: 'Bing and Yelp could not be checked. Check again later.',
      }),
    );
  });

  test('fails if no directory responds', async () => {
    for (const type of askedTypes) await scene.control.simulateOutage(type);
    const report = await scene.finish(await scene.startReport(partner, scene.business()));
    for (const type of askedTypes) await scene.control.endFailure(type);
    expect(report).toMatchObject({ status: 'FAILED', score: null, message: expect.stringContaining('None') });
  });

  describe('when a directory is rate limited', () => {
    /** Runs jobs while CYLEX is rate limited for some seconds, with separate connectors. */
    const workUnderLimit = async (seconds: number) => {
      const breaker = { threshold: 100, firstPause: 0.001, maxPause: 0.001 };
      const clientPolicy = { attempts: 1, backoffMs: 1, maxWaitMs: 10, breaker };
      const { url, key } = scene.sandbox;
      const directories = connectDirectories(
        { url: () => url, key },
        { timeoutMs: 3_000, clientPolicy, rateLimit: null },
      );
      await scene.control.setLimit('CYLEX', { requests: 1, perSeconds: seconds });
      await directories.connector('CYLEX', anyCaller).search({ name: 'Another business', city: 'Köln' });
      await runJobs(scene.api.database, { directories });
      await scene.control.setLimit('CYLEX', null);
      await directories.close();
    };

    test('it is retried', async () => {
      const business = scene.business();
      await scene.addDirectoryListing('CYLEX', business);
      const begun = await scene.startReport(partner, business);
      const flagsOf = async () =>
        (await scene.query('select flags from graphile_worker.jobs where key = $1', [`near-me-${begun.id}`])).rows;
      const flags = [{ flags: { [`partner-${partner.partner.id}`]: true } }];
      expect(await flagsOf()).toEqual(flags);
      await workUnderLimit(60);
      expect(await flagsOf()).toEqual(flags);
      const waiting = (await scene.read(begun)).body.response;
      expect(waiting).toMatchObject({ status: 'RUNNING', pendingDirectories: ['CYLEX'] });
      expect(waiting.progress).toBe(Math.floor((100 * (askedTypes.length - 1)) / askedTypes.length));
      await scene.runJobs({ early: true });
      const report = (await scene.read(begun)).body.response;
      expect(report.status).toBe('FINISHED');
      expect(directoryIn(report, 'CYLEX').status).toBe('FOUND');
    });

    test('for too long, it fails', async () => {
      const begun = await scene.startReport(partner, scene.business());
      await workUnderLimit(600);
      const report = (await scene.read(begun)).body.response;
      expect(report.status).toBe('FINISHED');
      expect(directoryIn(report, 'CYLEX').status).toBe('ERROR');
    });
  });

  test('can be processed twice', async () => {
    const begun = await scene.startReport(partner, scene.business());
    const report = await scene.finish(begun);
    await scene.query("select graphile_worker.add_job('near-me.look-up', json_build_object('reportId', $1::bigint))", [
      begun.id,
    ]);
    expect(await scene.finish(begun)).toEqual(report);
  });
});

describe('cleanup', () => {
  const sweep = async () => {
    await scene.query("select graphile_worker.add_job('near-me.sweep', '{}'::json)");
    await scene.runJobs();
  };

  test('an expired report is not found and is deleted', async () => {
    const begun = await scene.startReport(partner, scene.business());
    const report = await scene.finish(begun);
    expect(Date.parse(report.expires) - Date.parse(report.dateCreated)).toBe(14 * 86_400_000);
    await scene.query("update near_me_reports set expires_at = now() - interval '1 second' where id = $1", [begun.id]);
    expect(await scene.read(begun)).toMatchObject({ code: 404 });
    await sweep();
    for (const [table, column] of [
      ['near_me_reports', 'id'],
      ['near_me_results', 'report_id'],
    ]) {
      const { rows } = await scene.query(`select count(*)::int as count from ${table} where ${column} = $1`, [
        begun.id,
      ]);
      expect(rows[0].count).toBe(0);
    }
  });

  test('stalled reports fail and old quota counters are deleted', async () => {
    const begun = await scene.startReport(partner, scene.business());
    await scene.query("select graphile_worker.remove_job('near-me-' || $1::text)", [begun.id]);
    await scene.query("update near_me_reports set date_created = now() - interval '31 minutes' where id = $1", [
      begun.id,
    ]);
    await scene.query("insert into hourly_uses values ('texts', 'partner 0', now() - interval '3 hours', 5)");
    await sweep();
    expect((await scene.read(begun)).body.response).toMatchObject({ status: 'FAILED', message: expect.any(String) });
    const { rows } = await scene.query("select from hourly_uses where hour < now() - interval '2 hours'");
    expect(rows).toHaveLength(0);
  });
});

import { Button, Card, Group, SegmentedControl, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useHasPermission, useSession } from '../../api/session.ts';
import { useApi } from '../../api/use-api.ts';
import { EmptyList } from '../../parts/data-list/list-state.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { BusinessesChoice } from '../../parts/searched-choice.tsx';
import { Section } from '../../parts/section.tsx';
import { useSearchChange } from '../../parts/use-search-change.ts';
import { t, tn } from '../../texts/t.ts';
import { AlertTask, useHasAlerts } from './alert-task.tsx';
import { useDestinations } from './destinations.ts';
import classes from './home.module.css';
import { spans } from './home-values.ts';
import { KeyMetrics } from './key-metrics.tsx';
import { RankSection } from './rank-section.tsx';
import { ScoreSection } from './score-section.tsx';
import { SuggestionSection, TaskSection } from './to-dos.tsx';

export function HomePage() {
  const { user } = useSession();
  const maySee = useHasPermission('DASHBOARD_READ');
  const title = user.name ? t('home.greeting', { name: user.name.split(' ')[0] ?? '' }) : t('home.title');
  return maySee ? <Figures title={title} /> : <Ways title={title} />;
}

const route = getRouteApi('/shell/');

function Figures({ title }: { title: string }) {
  const search = route.useSearch();
  const change = useSearchChange<typeof search>();
  const { business, days = 30, rankBy = 'SCORE', order = 'BEST_FIRST', offset = 0 } = search;
  const scope = business ? { businessIds: business } : {};
  const any = useApi('GET /api/home/locations/score', { query: { size: 1 } });
  return (
    <>
      <PageHeader
        title={title}
        pageTitle={t('home.title')}
        text={t('home.lead')}
        actions={
          <Group gap="sm">
            <BusinessesChoice
              aria-label={t('home.businesses')}
              placeholder={t('parts.filters.allBusinesses')}
              value={business}
              onChange={(ids) => change({ business: ids })}
              w={{ base: '100%', xs: 220 }}
            />
            <SegmentedControl
              aria-label={t('home.period')}
              data={spans.map((count) => ({ value: String(count), label: tn('home.days', count) }))}
              value={String(days)}
              onChange={(value) => change({ days: spans.find((span) => span !== 30 && String(span) === value) })}
            />
          </Group>
        }
      />
      {any.data?.count === 0 ? (
        <Stack gap="lg">
          <AlertSection />
          <NoLocations />
        </Stack>
      ) : (
        <Stack gap="lg">
          <KeyMetrics scope={scope} days={days} />
          <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
            <Stack gap="lg">
              <TaskSection scope={scope} />
              <SuggestionSection scope={scope} />
            </Stack>
            <Stack gap="lg">
              <ScoreSection scope={scope} />
              <RankSection scope={scope} rankBy={rankBy} order={order} offset={offset} onChange={change} />
            </Stack>
          </SimpleGrid>
        </Stack>
      )}
    </>
  );
}

/** For partners without locations, who have no other tasks. */
function AlertSection() {
  if (!useHasAlerts()) return null;
  return (
    <Section title={t('home.tasks.title')}>
      <ul className={classes.todos}>
        <AlertTask />
      </ul>
    </Section>
  );
}

function NoLocations() {
  const there = useDestinations().find(({ to }) => to === '/locations');
  return (
    <EmptyList
      title={t('home.noLocations')}
      text={t('home.noLocationsText')}
      action={
        there && (
          <Button component={Link} to={there.to}>
            {t('home.toLocations')}
          </Button>
        )
      }
    />
  );
}

/** Shown to users without access to figures. */
function Ways({ title }: { title: string }) {
  return (
    <>
      <PageHeader title={title} pageTitle={t('home.title')} text={t('home.go')} />
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }}>
        {useDestinations().map(({ to, label, icon: Icon }) => (
          <Card key={to} component={Link} to={to}>
            <Group>
              <Icon size={22} aria-hidden />
              <Title order={2}>
                <Text inherit>{t(label)}</Text>
              </Title>
            </Group>
          </Card>
        ))}
      </SimpleGrid>
    </>
  );
}

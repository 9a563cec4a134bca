import { Group, RingProgress, Stack, Text } from '@mantine/core';
import type { ResponseOf } from '../../api/call.ts';
import { useApi } from '../../api/use-api.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { decimalText, numberText, percentText } from '../../parts/number-text.ts';
import { PercentBar } from '../../parts/percent-bar.tsx';
import { Section } from '../../parts/section.tsx';
import { t, tn } from '../../texts/t.ts';
import type { HomeScope } from './home-values.ts';

type Part = ResponseOf<'GET /api/home/score-parts'>['parts'][number];

export function ScoreSection({ scope }: { scope: HomeScope }) {
  const score = useApi('GET /api/home/locations/score', { query: { ...scope, size: 1 } }, { keepPrevious: true });
  const parts = useApi('GET /api/home/score-parts', { query: scope }, { keepPrevious: true });
  const both = [score, parts];
  const query = {
    data: score.data && parts.data && { average: score.data.averageScore, parts: parts.data.parts },
    error: score.error ?? parts.error,
    isFetching: both.some(({ isFetching }) => isFetching),
    refetch: () => both.filter(({ error }) => error).map(({ refetch }) => refetch()),
  };
  return (
    <Section
      title={t('home.score.title')}
      text={score.data?.count ? tn('home.score.text', score.data.count) : undefined}
    >
      <Loaded query={query} height={220}>
        {({ average, parts: entries }) =>
          average === undefined ? (
            <Text c="dimmed">{t('home.score.noLocations')}</Text>
          ) : (
            <Group gap="xl" align="center">
              <Ring score={average} />
              <Stack gap="sm" flex="1 1 16rem" miw={0}>
                {entries.map((part) => (
                  <PartBar key={part.name} part={part} />
                ))}
              </Stack>
            </Group>
          )
        }
      </Loaded>
    </Section>
  );
}

const toneOf = (share: number) => (share >= 0.8 ? 'teal' : share >= 0.5 ? 'yellow' : 'red');

function Ring({ score }: { score: number }) {
  return (
    <RingProgress
      size={148}
      thickness={12}
      roundCaps
      mx="auto"
      aria-label={t('home.score.label', { score: decimalText(score) })}
      role="img"
      sections={[{ value: score, color: toneOf(score / 100) }]}
      label={
        <Stack gap={0} align="center">
          <Text fz={32} fw={650} lh={1.1}>
            {Math.round(score)}
          </Text>
          <Text size="xs" c="dimmed">
            {t('home.metrics.units.POINTS')}
          </Text>
        </Stack>
      }
    />
  );
}

function PartBar({ part: { name, points, maxPoints, done, of } }: { part: Part }) {
  return (
    <div>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text size="sm" fw={550}>
          {t(`home.score.parts.${name}`)}
        </Text>
        <Text size="sm" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
          {t('home.score.of', { points: decimalText(points), maxPoints })}
        </Text>
      </Group>
      <PercentBar
        size="sm"
        my={4}
        percent={(points / maxPoints) * 100}
        color={toneOf(points / maxPoints)}
        label={t(`home.score.parts.${name}`)}
      />
      <Text size="xs" c="dimmed">
        {textOf({ name, done, of })}
      </Text>
    </div>
  );
}

function textOf({ name, done, of }: Pick<Part, 'name' | 'done' | 'of'>): string {
  if (of === 0) return t(name === 'LISTINGS_IN_SYNC' ? 'home.score.noListings' : 'home.score.noReplies');
  return t(`home.score.partTexts.${name}`, {
    done: numberText(done),
    of: numberText(of),
    share: percentText(done / of),
  });
}

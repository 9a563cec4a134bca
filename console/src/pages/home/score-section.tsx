import { Group, RingProgress, Skeleton, Stack, Text } from '@mantine/core';
import type { ResponseOf } from '../../api/call.ts';
import { useApi } from '../../api/use-api.ts';
import { decimalText, numberText, percentText } from '../../parts/number-text.ts';
import { PercentBar } from '../../parts/percent-bar.tsx';
import { Section } from '../../parts/section.tsx';
import { TryAgain } from '../../parts/try-again.tsx';
import { t } from '../../texts/t.ts';
import type { HomeScope } from './home-values.ts';

type Part = ResponseOf<'GET /api/home/score-parts'>['parts'][number];

export function ScoreSection({ scope }: { scope: HomeScope }) {
  const score = useApi('GET /api/home/locations/score', { query: { ...scope, size: 1 } }, { keepPrevious: true });
  const parts = useApi('GET /api/home/score-parts', { query: scope }, { keepPrevious: true });
  const failed = [score, parts].filter(({ error }) => error);
  const average = score.data?.averageScore;
  return (
    <Section
      title={t('home.score.title')}
      text={score.data && t('home.score.text', { count: numberText(score.data.count) })}
    >
      {score.data && parts.data ? (
        <Group gap="xl" align="center">
          <Ring score={average ?? 0} />
          <Stack gap="sm" flex="1 1 16rem" miw={0}>
            {parts.data.parts.map((part) => (
              <PartBar key={part.name} part={part} />
            ))}
          </Stack>
        </Group>
      ) : failed[0]?.error ? (
        <TryAgain error={failed[0].error} onRetry={() => failed.map(({ refetch }) => refetch())} />
      ) : (
        <Skeleton height={220} />
      )}
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
  const values = {
    done: numberText(done),
    of: numberText(of),
    share: percentText(of > 0 ? Math.round((done / of) * 100) / 100 : 0),
  };
  return (
    <div>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text size="sm" fw={550}>
          {t(`home.score.parts.${name}`)}
        </Text>
        <Text size="sm" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
          {t('home.score.of', { points: decimalText(points), most: maxPoints })}
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
        {of === 0 ? t('home.score.nothingToDo') : t(`home.score.partTexts.${name}`, values)}
      </Text>
    </div>
  );
}

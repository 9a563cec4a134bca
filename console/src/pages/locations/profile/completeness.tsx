import { Anchor, Card, Group, Progress, RingProgress, Stack, Text, Title } from '@mantine/core';
import { CircleCheck } from 'lucide-react';
import type { ResponseOf } from '../../../api/call.ts';
import { useHasPermission } from '../../../api/session.ts';
import { useApi } from '../../../api/use-api.ts';
import { percentText } from '../../../parts/number-text.ts';
import { TryAgain } from '../../../parts/try-again.tsx';
import { t, tn } from '../../../texts/t.ts';
import { fieldLabel } from './fields.tsx';
import classes from './profile.module.css';
import { type Field, shownFields } from './profile-draft.ts';

type Level = ResponseOf<'GET /api/locations/{id}/completeness'>['levels'][number];

export function Completeness({ locationId }: { locationId: number }) {
  const { data, error, refetch } = useApi('GET /api/locations/{id}/completeness', { path: { id: locationId } });
  if (!data) return error && <TryAgain error={error} onRetry={refetch} />;
  const { profileCompleteness, levels } = data;
  const color = profileCompleteness >= 90 ? 'teal' : profileCompleteness >= 60 ? 'harbour' : 'orange';
  return (
    <Card component="section" aria-label={t('locations.completeness.title')}>
      <Group wrap="nowrap" gap="md" mb="sm">
        <RingProgress
          size={76}
          thickness={8}
          roundCaps
          sections={[{ value: profileCompleteness, color }]}
          rootColor="var(--mantine-color-default-border)"
          label={
            <Text ta="center" fw={650} size="sm">
              {percentText(profileCompleteness / 100)}
            </Text>
          }
          aria-hidden
        />
        <div>
          <Title order={2}>{t('locations.completeness.title')}</Title>
          <Text size="sm" c="dimmed">
            {t('locations.completeness.percent', { percent: percentText(profileCompleteness / 100) })}
          </Text>
        </div>
      </Group>
      <Stack gap="sm">
        {levels.map((level) => (
          <LevelState key={level.classification} level={level} />
        ))}
      </Stack>
    </Card>
  );
}

function LevelState({ level: { classification, missing } }: { level: Level }) {
  const isFull = missing.length === 0;
  return (
    <div>
      <Group justify="space-between" gap="xs">
        <Text size="sm" fw={600}>
          {t(`locations.completeness.levels.${classification}`)}
        </Text>
        {isFull ? (
          <Group gap={4}>
            <CircleCheck size={15} aria-hidden color="var(--mantine-color-teal-6)" />
            <Text size="xs" c="dimmed">
              {t('locations.completeness.full')}
            </Text>
          </Group>
        ) : (
          <Text size="xs" c="dimmed">
            {tn('locations.completeness.missing', missing.length)}
          </Text>
        )}
      </Group>
      {!isFull && (
        <Stack gap={2} mt={2} align="start">
          {missing.map((fields) => (
            <MissingPart key={fields.join()} fields={fields} />
          ))}
        </Stack>
      )}
      {isFull && <Progress value={100} size={3} color="teal" mt={6} aria-hidden />}
    </div>
  );
}

/** Fields that complete an item. For an incomplete address, the postal code. */
function MissingPart({ fields }: { fields: readonly string[] }) {
  const mayWrite = useHasPermission('LOCATION_WRITE');
  const wanted = fields.includes('zip') ? ['zip'] : fields;
  const [first] = wanted;
  if (!first || !(first in shownFields)) return null;
  const names = wanted.map((one) => inSentence(fieldLabel(one)));
  const field = names.join(t('locations.completeness.or'));
  return (
    <Anchor component="button" type="button" className={classes.missing} onClick={() => goToField(first as Field)}>
      {mayWrite ? t('locations.completeness.add', { field }) : field}
    </Anchor>
  );
}

const inSentence = (name: string) => name.charAt(0).toLowerCase() + name.slice(1);

export function goToField(field: Field): void {
  const frame = document.getElementById(`field-${field}`);
  frame?.scrollIntoView({ block: 'center' });
  frame?.querySelector<HTMLElement>('input:not([type="hidden"]), textarea, button')?.focus({ preventScroll: true });
}

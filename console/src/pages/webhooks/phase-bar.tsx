import { Group, Text, useMantineTheme } from '@mantine/core';
import { durationText } from '../../parts/time-text.ts';
import { t } from '../../texts/t.ts';
import type { Attempt } from './webhook-values.ts';
import classes from './webhooks.module.css';

type Durations = Attempt['durations'];

interface Props {
  durations: Durations;
  /** Only a response whose headers arrived has a body phase. */
  isRead: boolean;
  isQueue: boolean;
}

export function PhaseBar({ durations, isRead, isQueue }: Props) {
  const { colors } = useMantineTheme();
  const phases = phasesOf(durations, isRead, t(`webhooks.response.phase.${isQueue ? 'confirmation' : 'firstByte'}`));
  const whole = phases.reduce((sum, { ms }) => sum + ms, 0);
  if (whole <= 0) return null;
  const label = phases.map(({ name, ms }) => `${name} ${phaseText(ms)}`).join(', ');
  return (
    <div>
      <div className={classes.phases} role="img" aria-label={`${t('webhooks.response.phases')}: ${label}`}>
        {phases.map(({ key, color, ms }) => (
          <div
            key={key}
            className={classes.phase}
            style={{ flexGrow: ms / whole, flexBasis: 0, background: colors[color]?.[5] }}
          />
        ))}
      </div>
      <Group gap="2px 16px" mt={6} aria-hidden>
        {phases.map(({ key, name, color, ms }) => (
          <Text key={key} span size="xs" c="dimmed">
            <span className={classes.key} style={{ background: colors[color]?.[5] }} />
            {name} {phaseText(ms)}
          </Text>
        ))}
      </Group>
      {durations.connectMs === undefined && durations.firstByteMs !== undefined && (
        <Text size="xs" c="dimmed" mt={2}>
          {t('webhooks.response.reused')}
        </Text>
      )}
    </div>
  );
}

/** Phases are often shorter than a millisecond. */
const phaseText = (ms: number) => (ms < 10 ? `${ms.toFixed(1)} ms` : durationText(ms));

function phasesOf(
  { tokenMs, dnsMs, connectMs, tlsMs, firstByteMs, totalMs }: Durations,
  isRead: boolean,
  waiting: string,
) {
  const known = [
    { key: 'token', color: 'yellow', ms: tokenMs, name: t('webhooks.response.phase.token') },
    { key: 'dns', color: 'grape', ms: dnsMs, name: t('webhooks.response.phase.dns') },
    { key: 'connect', color: 'orange', ms: connectMs, name: t('webhooks.response.phase.connect') },
    { key: 'tls', color: 'teal', ms: tlsMs, name: t('webhooks.response.phase.tls') },
    { key: 'firstByte', color: 'harbour', ms: firstByteMs, name: waiting },
  ].flatMap(({ ms, ...phase }) => (ms === undefined ? [] : [{ ...phase, ms }]));
  const rest = totalMs - known.reduce((sum, { ms }) => sum + ms, 0);
  if (isRead && rest > 0.5)
    known.push({ key: 'rest', color: 'gray', ms: rest, name: t('webhooks.response.phase.rest') });
  return known;
}

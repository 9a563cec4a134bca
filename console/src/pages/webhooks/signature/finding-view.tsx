import { Alert, Group, Stack, Text } from '@mantine/core';
import { CircleCheck, TriangleAlert } from 'lucide-react';
import { durationText } from '../../../parts/time-text.ts';
import { t, textOrWords } from '../../../texts/t.ts';
import classes from '../webhooks.module.css';
import type { Difference } from './byte-difference.ts';
import { ageOf, type Finding } from './check-signature.ts';

const toleranceMs = 300_000;

export function FindingView({ finding, timestamp }: { finding: Finding; timestamp?: string }) {
  const { verdict, isRight, difference } = finding;
  const age = timestamp === undefined ? undefined : ageOf(timestamp, Date.now());
  return (
    <Alert
      color={isRight ? 'teal' : 'red'}
      icon={isRight ? <CircleCheck size={18} aria-hidden /> : <TriangleAlert size={18} aria-hidden />}
      title={t(isRight ? 'signature.good' : 'signature.bad')}
    >
      <Stack gap="xs">
        <Text size="sm">{textOrWords('signature.verdicts', verdict)}</Text>
        {difference && <DifferenceView difference={difference} isSent={verdict !== 'REWRITTEN'} />}
        {age !== undefined && age > toleranceMs && (
          <Text size="sm">{t('signature.old', { time: durationText(age) })}</Text>
        )}
      </Stack>
    </Alert>
  );
}

function DifferenceView({ difference, isSent }: { difference: Difference; isSent: boolean }) {
  const { offset, reason, yours, theirs, around, path } = difference;
  const bytes = t('signature.byteText', { yours: byteText(yours), theirs: byteText(theirs) });
  return (
    <Stack gap={6}>
      <Text size="sm" fw={600}>
        {t('signature.differsAt', { offset })}
        {path && ` ${t('signature.atPath', { path })}`}: {bytes}
      </Text>
      <Text size="sm">{textOrWords('signature.reasons', reason)}</Text>
      <Side name={t('signature.yours')} before={around.before} mark={around.yours} after={around.yoursAfter} />
      <Side
        name={t(isSent ? 'signature.sent' : 'signature.expected')}
        before={around.before}
        mark={around.theirs}
        after={around.theirsAfter}
      />
    </Stack>
  );
}

interface SideProps {
  name: string;
  before: string;
  mark: string;
  after: string;
}

function Side({ name, before, mark, after }: SideProps) {
  return (
    <Group gap="sm" wrap="nowrap" align="baseline">
      <Text size="xs" miw={64}>
        {name}
      </Text>
      <pre className={classes.bytes}>
        {visible(before)}
        <mark>{mark === '' ? '∅' : visible(mark)}</mark>
        {visible(after)}
      </pre>
    </Group>
  );
}

const visible = (text: string) =>
  text
    .replaceAll(' ', '·')
    .replaceAll('\n', '↵')
    .replaceAll('\r', '␍')
    .replaceAll('\t', '⇥')
    .replaceAll('\ufeff', '␣BOM');

function byteText(byte: number | undefined): string {
  if (byte === undefined) return t('signature.end');
  const hex = `0x${byte.toString(16).padStart(2, '0').toUpperCase()}`;
  return byte > 0x20 && byte < 0x7f ? `${hex} “${String.fromCharCode(byte)}”` : hex;
}

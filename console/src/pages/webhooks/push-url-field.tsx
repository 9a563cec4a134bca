import { Loader, Text, TextInput, type TextInputProps } from '@mantine/core';
import { Check, TriangleAlert } from 'lucide-react';
import { useRef, useState } from 'react';
import { call } from '../../api/call.ts';
import { t } from '../../texts/t.ts';
import classes from './webhooks.module.css';

interface Props extends Omit<TextInputProps, 'value'> {
  value?: string;
  /** Error of the URL; undefined if valid. */
  onJudged: (message: string | undefined) => void;
}

interface Judged {
  url: string;
  usable: boolean;
  message?: string;
}

/** The API checks the URL on blur. */
export function PushUrlField({ value = '', onJudged, onBlur, ...input }: Props) {
  const [judged, setJudged] = useState<Judged>();
  const [isLooking, setLooking] = useState(false);
  const asked = useRef('');
  const url = value.trim();
  const look = async () => {
    if (!url || asked.current === url) return;
    asked.current = url;
    setLooking(true);
    // Ignore a failed check: saving validates the URL again.
    const answer = await call('POST /api/sales-partners/webhooks/check-url', { body: { pushUrl: url } }).catch(
      () => undefined,
    );
    if (asked.current !== url) return;
    setLooking(false);
    if (!answer) return;
    setJudged({ url, ...answer });
    onJudged(answer.usable ? undefined : answer.message);
  };
  const known = judged?.url === url && judged.usable ? judged : undefined;
  return (
    <div>
      <TextInput
        label={t('webhooks.form.url')}
        description={t('webhooks.form.urlHint')}
        placeholder="https://hooks.example.com/waypost"
        type="url"
        required
        autoComplete="off"
        spellCheck={false}
        value={value}
        {...input}
        onBlur={(event) => {
          onBlur?.(event);
          void look();
        }}
        classNames={{ input: classes.url }}
        rightSection={isLooking ? <Loader size="xs" aria-label={t('webhooks.form.urlChecking')} /> : undefined}
      />
      <Text size="xs" mt={5} role="status" c={known?.message ? 'orange' : 'dimmed'}>
        {known && !input.error && (
          <>
            {known.message ? <TriangleAlert size={12} aria-hidden /> : <Check size={12} aria-hidden />}{' '}
            {known.message ?? t('webhooks.form.urlUsable')}
          </>
        )}
      </Text>
    </div>
  );
}

import { Loader, Text, TextInput, type TextInputProps } from '@mantine/core';
import { Check, TriangleAlert } from 'lucide-react';
import { useRef, useState } from 'react';
import { call } from '../../api/call.ts';
import { t } from '../../texts/t.ts';
import { isQueue, queueText } from './queue.ts';
import classes from './webhooks.module.css';

interface Props extends Omit<TextInputProps, 'value'> {
  value?: string;
  /** Credentials of a broker are saved. */
  hasCredentials: boolean;
  /** Error of the URL; undefined if valid. */
  onChecked: (message: string | undefined) => void;
}

interface Checked {
  url: string;
  usable: boolean;
  message?: string;
}

/** The API checks the URL on blur. */
export function PushUrlField({ value = '', hasCredentials, onChecked, onBlur, ...input }: Props) {
  const [checked, setChecked] = useState<Checked>();
  const [isChecking, setChecking] = useState(false);
  const requested = useRef('');
  const url = value.trim();
  const entered = useRef(url);
  entered.current = url;
  const check = async () => {
    if (!url || requested.current === url) return;
    requested.current = url;
    setChecking(true);
    // Ignore a failed check: saving validates the URL again.
    const response = await call('POST /api/sales-partners/webhooks/check-url', { body: { pushUrl: url } }).catch(
      () => undefined,
    );
    if (requested.current !== url) return;
    setChecking(false);
    if (!response || entered.current !== url) {
      // Check again on the next blur.
      requested.current = '';
      return;
    }
    setChecked({ url, ...response });
    onChecked(response.usable ? undefined : response.message);
  };
  const known = checked?.url === url && checked.usable ? checked : undefined;
  return (
    <div>
      <TextInput
        label={t('webhooks.form.url')}
        description={`${t('webhooks.form.urlHint')}${hasCredentials ? ` ${t('webhooks.form.urlKept')}` : ''}`}
        placeholder="https://hooks.example.com/waypost"
        type="url"
        required
        autoComplete="off"
        spellCheck={false}
        value={value}
        {...input}
        onBlur={(event) => {
          onBlur?.(event);
          void check();
        }}
        classNames={{ input: classes.url }}
        rightSection={isChecking ? <Loader size="xs" aria-label={t('webhooks.form.urlChecking')} /> : undefined}
      />
      <Text size="xs" mt={5} role="status" c={known?.message ? 'orange' : 'dimmed'}>
        {known && !input.error && (
          <>
            {known.message ? <TriangleAlert size={12} aria-hidden /> : <Check size={12} aria-hidden />}{' '}
            {known.message ?? usableText(url)}
          </>
        )}
      </Text>
    </div>
  );
}

/** Says which queue a URL means. */
const usableText = (url: string): string =>
  isQueue(url) ? `${queueText(url)}. ${t('webhooks.form.queueUsable')}` : t('webhooks.form.urlUsable');

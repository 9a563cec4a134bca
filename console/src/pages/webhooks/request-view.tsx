import { Group, Stack, Text } from '@mantine/core';
import { CopyButton } from '../../parts/copy-button.tsx';
import { t } from '../../texts/t.ts';
import { curlCommand } from './curl-command.ts';
import { HeaderTable } from './header-table.tsx';
import { isQueue, queueText } from './queue.ts';
import type { Attempt } from './webhook-values.ts';
import classes from './webhooks.module.css';

interface Props {
  url: string;
  request: NonNullable<Attempt['request']>;
  /** The body with the signature of the current private key. */
  body: string | undefined;
}

/** The request of an attempt as it was sent. */
export function RequestView({ url, request: { method, headers, signature, keys }, body }: Props) {
  const signedWith = keys.map((key) => ({
    name: t(`webhook.delivery.signatures.${key.signature}`),
    value: key.isValid ? key.keyId : t('webhook.delivery.expiredKey', { id: key.keyId }),
  }));
  return (
    <Stack gap="sm">
      <Text size="sm" className={classes.code}>
        {isQueue(url) ? queueText(url) : `${method} ${url}`}
      </Text>
      <div>
        <HeaderTable label={t('webhook.delivery.sentHeaders')} headers={headers} />
        <Text size="xs" c="dimmed" mt={4}>
          {t('webhook.delivery.sentHeadersText')}
        </Text>
      </div>
      <HeaderTable label={t('webhook.delivery.signedWith')} headers={signedWith} />
      {body !== undefined && !isQueue(url) && (
        <Group justify="flex-end">
          <CopyButton
            value={curlCommand(url, headers, signedBody(body, signature))}
            name={t('webhook.delivery.curl')}
            label={t('webhook.delivery.copyCurl')}
          />
        </Group>
      )}
    </Stack>
  );
}

/** The body ends with its signature: `{"event":…,"signature":"…"}`. */
const signedBody = (body: string, signature: string): string =>
  `${body.slice(0, body.lastIndexOf('"signature":"'))}"signature":"${signature}"}`;

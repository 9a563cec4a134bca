import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import type { GeneratedContent } from '../../../api/api-types.ts';
import { useApiWrite } from '../../../api/use-api.ts';
import { FormDrawer } from '../../../parts/form-drawer.tsx';
import { useDirectoryName } from '../../../parts/use-directories.ts';
import { t } from '../../../texts/t.ts';
import { AiRequest } from './ai-request.tsx';
import classes from './composer.module.css';

interface Props {
  isOpen: boolean;
  directories: readonly string[];
  locationId: number | undefined;
  onUse: (text: string) => void;
  onClose: () => void;
}

export function AiDrafts(props: Props) {
  return (
    <FormDrawer opened={props.isOpen} onClose={props.onClose} title={t('posts.ai.title')}>
      {() => <Drafts {...props} />}
    </FormDrawer>
  );
}

function Drafts({ directories, locationId, onUse }: Props) {
  const write = useApiWrite('POST /api/social-ai/generate-content');
  const drafts = write.data?.contents ?? [];
  return (
    <Stack>
      <AiRequest
        directories={directories}
        locationId={locationId}
        hasDrafts={drafts.length > 0}
        onWrite={(body) => write.mutateAsync({ body })}
      />
      {drafts.length > 0 && (
        <Stack component="section" gap="sm" aria-labelledby="ai-drafts">
          <Group justify="space-between" align="baseline">
            <Title order={3} id="ai-drafts">
              {t('posts.ai.drafts')}
            </Title>
            <Text size="sm" c="dimmed">
              {t('posts.ai.check')}
            </Text>
          </Group>
          {drafts.map((draft, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: drafts are replaced all at once
            <Draft key={index} draft={draft} onUse={onUse} />
          ))}
        </Stack>
      )}
    </Stack>
  );
}

function Draft({ draft, onUse }: { draft: GeneratedContent; onUse: (text: string) => void }) {
  const directory = useDirectoryName()(draft.directory);
  const source = draft.source === 'BUILT_IN' ? t('posts.ai.builtIn') : draft.source;
  return (
    <Paper withBorder p="md">
      <Stack gap="xs">
        <Text size="sm" className={classes.text}>
          {draft.text}
        </Text>
        <Group justify="space-between" gap="xs">
          <Text size="xs" c="dimmed">
            {t('posts.ai.forDirectory', { directory, count: draft.characterCount })}
            <br />
            {t('posts.ai.source', { source })}
          </Text>
          <Button
            size="compact-sm"
            variant="light"
            aria-label={t('posts.ai.useOn', { directory })}
            onClick={() => onUse(draft.text)}
          >
            {t('posts.ai.use')}
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}

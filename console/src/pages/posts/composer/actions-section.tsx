import { Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { Section } from '../../../parts/section.tsx';
import { useDirectoryName } from '../../../parts/use-directories.ts';
import { t } from '../../../texts/t.ts';
import { actionTypes } from '../post-values.ts';
import type { PostForm, PostValues } from './post-form.ts';

export function ActionsSection({ form }: { form: PostForm }) {
  const { directories, callToActions } = form.values;
  const nameOf = useDirectoryName();
  if (directories.length === 0) return null;
  const choose = (directory: string, type: string | null) => {
    const others = callToActions.filter((action) => action.directory !== directory);
    const before = callToActions.find((action) => action.directory === directory);
    // Copies the URL of another button as the default.
    const url = before?.url ?? callToActions[0]?.url ?? '';
    const chosen = type as PostValues['callToActions'][number]['type'];
    const next = type === 'NONE' || !type ? others : [...others, { directory, type: chosen, url }];
    form.setFieldValue(
      'callToActions',
      directories.flatMap((one) => next.filter((action) => action.directory === one)),
    );
  };
  return (
    <Section title={t('posts.compose.actions')} text={t('posts.compose.actionsText')}>
      <Stack gap="sm">
        {directories.map((directory) => {
          const index = callToActions.findIndex((action) => action.directory === directory);
          const action = callToActions[index];
          const name = nameOf(directory);
          return (
            <Group key={directory} align="start" gap="sm">
              <Text size="sm" fw={550} flex="1 1 6rem" mt={7}>
                {name}
              </Text>
              <Select
                aria-label={t('posts.compose.actionOn', { directory: name })}
                data={[
                  { value: 'NONE', label: t('posts.compose.noAction') },
                  ...actionTypes.map((value) => ({ value, label: t(`posts.compose.actionTypes.${value}`) })),
                ]}
                value={action?.type ?? 'NONE'}
                onChange={(value) => choose(directory, value)}
                flex="1 1 9rem"
              />
              {action && action.type !== 'CALL' && (
                <TextInput
                  type="url"
                  aria-label={t('posts.compose.actionUrl', { directory: name })}
                  placeholder="https://"
                  flex="1 1 100%"
                  {...form.getInputProps(`callToActions.${index}.url`)}
                />
              )}
            </Group>
          );
        })}
      </Stack>
    </Section>
  );
}

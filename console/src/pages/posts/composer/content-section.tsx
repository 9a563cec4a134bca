import { Button, Checkbox, Group, SegmentedControl, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { Sparkles } from 'lucide-react';
import { useState } from 'react';
import { Section } from '../../../parts/section.tsx';
import { type Directory, useDirectories } from '../../../parts/use-directories.ts';
import { t } from '../../../texts/t.ts';
import { countedText, postTypes } from '../post-values.ts';
import { AiDrafts } from './ai-drafts.tsx';
import { errorsWithin } from './field-errors.ts';
import type { PostForm, PostValues } from './post-form.ts';
import { useReplace } from './use-replace.tsx';

export function ContentSection({ form }: { form: PostForm }) {
  const { type, title, description, directories } = form.values;
  const [isDrafting, setDrafting] = useState(false);
  const [replace, question] = useReplace(form, () => setDrafting(false));
  const isNarrow = useMediaQuery('(max-width: 36em)', false, { getInitialValueInEffect: false });
  const isQuestion = type === 'QUESTION_AND_ANSWER';
  const able = useDirectories().filter(({ supports }) => supports.socialPosts);
  const tightest = able
    .filter((directory) => directories.includes(directory.type))
    .sort((a, b) => a.postMaxLength - b.postMaxLength)[0];
  return (
    <Section
      title={t('posts.compose.content')}
      actions={
        <Button
          variant="light"
          size="compact-sm"
          leftSection={<Sparkles size={16} aria-hidden />}
          onClick={() => setDrafting(true)}
        >
          {t('posts.ai.open')}
        </Button>
      }
    >
      <Stack>
        <SegmentedControl
          aria-label={t('posts.type')}
          data={postTypes.map((value) => ({ value, label: t(`posts.types.${value}`) }))}
          value={type}
          onChange={(value) => form.setFieldValue('type', value as PostValues['type'])}
          orientation={isNarrow ? 'vertical' : 'horizontal'}
          fullWidth
        />
        <Checkbox.Group
          label={t('posts.compose.directories')}
          description={t('posts.compose.directoriesHint')}
          required
          {...form.getInputProps('directories')}
          error={errorsWithin(form.errors, 'directories')}
        >
          <Group my={6} gap="md">
            {able.map((directory) => (
              <Checkbox
                key={directory.type}
                value={directory.type}
                label={directory.name}
                aria-label={t('posts.compose.upTo', { name: directory.name, limit: directory.postMaxLength })}
              />
            ))}
          </Group>
        </Checkbox.Group>
        <TextInput
          label={t(isQuestion ? 'posts.compose.question' : 'posts.compose.titleField')}
          required={type !== 'POST'}
          maxLength={300}
          {...form.getInputProps('title')}
        />
        <Textarea
          label={t(isQuestion ? 'posts.compose.answer' : 'posts.compose.text')}
          required={type === 'POST' || isQuestion}
          autosize
          minRows={5}
          maxRows={16}
          {...form.getInputProps('description')}
        />
        {tightest && <Count directory={tightest} length={countedText(title, description).length} />}
        {type === 'OFFER' && (
          <>
            <TextInput label={t('posts.compose.coupon')} maxLength={58} {...form.getInputProps('couponCode')} />
            <Textarea
              label={t('posts.compose.terms')}
              autosize
              minRows={2}
              {...form.getInputProps('termsAndConditions')}
            />
          </>
        )}
      </Stack>
      <AiDrafts
        isOpen={isDrafting}
        directories={directories}
        locationId={form.values.locationIds[0]}
        onUse={(text) => replace({ description: text })}
        onClose={() => setDrafting(false)}
      />
      {question}
    </Section>
  );
}

function Count({ directory, length }: { directory: Directory; length: number }) {
  const isOver = length > directory.postMaxLength;
  return (
    <Text size="xs" c={isOver ? 'var(--mantine-color-error)' : 'dimmed'} ta="right" mt={-8}>
      {t('posts.compose.counted', { count: length, limit: directory.postMaxLength, directory: directory.name })}
    </Text>
  );
}

import { Group, Select, SimpleGrid, Switch, TagsInput, Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import { Sparkles } from 'lucide-react';
import type { ContentRequest } from '../../../api/api-types.ts';
import { ApiForm } from '../../../parts/api-form.tsx';
import { FormButtons } from '../../../parts/form-buttons.tsx';
import { t } from '../../../texts/t.ts';

const tones = ['FRIENDLY', 'PROFESSIONAL', 'FUNNY', 'ENTHUSIASTIC', 'INFORMATIVE'] as const;
const lengths = ['SHORT', 'MEDIUM', 'LONG'] as const;
const languages = ['en', 'de', 'fr', 'es', 'it', 'nl'] as const;

interface Values {
  topic: string;
  tone: (typeof tones)[number];
  length: (typeof lengths)[number];
  language: string;
  keywords: string[];
  hashtags: boolean;
  emoji: boolean;
}

interface Props {
  directories: readonly string[];
  locationId: number | undefined;
  hasDrafts: boolean;
  onWrite: (request: ContentRequest) => Promise<unknown>;
}

export function AiRequest({ directories, locationId, hasDrafts, onWrite }: Props) {
  const form = useForm<Values>({
    initialValues: {
      topic: '',
      tone: 'FRIENDLY',
      length: 'MEDIUM',
      language: '',
      keywords: [],
      hashtags: false,
      emoji: false,
    },
  });
  const submit = ({ language, keywords, ...wanted }: Values) =>
    onWrite({
      ...wanted,
      ...(language && { language }),
      ...(keywords.length > 0 && { keywords }),
      ...(directories.length > 0 && { directories: [...directories] }),
      ...(locationId !== undefined && { locationId }),
    });
  return (
    <ApiForm form={form} onSubmit={submit} gap="sm">
      <Textarea
        label={t('posts.ai.topic')}
        description={t('posts.ai.topicHint')}
        required
        autosize
        minRows={2}
        maxLength={500}
        {...form.getInputProps('topic')}
        data-autofocus
      />
      <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
        <Select
          label={t('posts.ai.tone')}
          data={tones.map((value) => ({ value, label: t(`posts.ai.tones.${value}`) }))}
          {...form.getInputProps('tone')}
        />
        <Select
          label={t('posts.ai.length')}
          data={lengths.map((value) => ({ value, label: t(`posts.ai.lengths.${value}`) }))}
          {...form.getInputProps('length')}
        />
        <Select
          label={t('posts.ai.language')}
          placeholder={t('posts.ai.languageUsual')}
          data={languages.map((value) => ({ value, label: t(`posts.ai.languages.${value}`) }))}
          allowDeselect
          clearable
          {...form.getInputProps('language')}
          value={form.values.language || null}
          onChange={(value) => form.setFieldValue('language', value ?? '')}
        />
      </SimpleGrid>
      <TagsInput label={t('posts.ai.keywords')} {...form.getInputProps('keywords')} />
      <Group>
        <Switch label={t('posts.ai.hashtags')} {...form.getInputProps('hashtags', { type: 'checkbox' })} />
        <Switch label={t('posts.ai.emoji')} {...form.getInputProps('emoji', { type: 'checkbox' })} />
      </Group>
      <FormButtons loading={form.submitting} leftSection={<Sparkles size={16} aria-hidden />}>
        {t(hasDrafts ? 'posts.ai.again' : 'posts.ai.write')}
      </FormButtons>
    </ApiForm>
  );
}

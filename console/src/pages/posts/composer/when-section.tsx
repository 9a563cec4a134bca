import { SimpleGrid, Switch } from '@mantine/core';
import { DateTimeInput } from '../../../parts/date-time-input.tsx';
import { Section } from '../../../parts/section.tsx';
import { ownTimeZone } from '../../../parts/time-text.ts';
import { t } from '../../../texts/t.ts';
import { hasStart, type PostForm } from './post-form.ts';

export function WhenSection({ form }: { form: PostForm }) {
  return (
    <Section title={t('posts.compose.when')} text={t('parts.time.zone', { zone: ownTimeZone })}>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <DateTimeInput
          label={t('posts.compose.publication')}
          description={t('posts.compose.publicationHint')}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          {...form.getInputProps('publicationDate')}
        />
        {hasStart(form.values.type) && (
          <DateTimeInput label={t('posts.compose.start')} required {...form.getInputProps('dateStart')} />
        )}
        <DateTimeInput label={t('posts.compose.end')} {...form.getInputProps('dateEnd')} />
      </SimpleGrid>
      <Switch
        mt="md"
        label={t('posts.compose.storeLocator')}
        {...form.getInputProps('isStoreLocator', { type: 'checkbox' })}
      />
    </Section>
  );
}

import { Button, Rating, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { Star } from 'lucide-react';
import { call } from '../../api/call.ts';
import { FormProblem } from '../../parts/form-problems.tsx';
import { Section } from '../../parts/section.tsx';
import { t } from '../../texts/t.ts';
import type { FormProps } from './trigger.ts';
import { useTrigger } from './use-trigger.ts';

export function ReviewForm({ listing, onTriggered }: FormProps) {
  const { run, isBusy, problem } = useTrigger('reviews', onTriggered);
  const form = useForm({
    initialValues: { rating: 5, text: t('sandbox.review.sampleText'), author: t('sandbox.review.sampleAuthor') },
  });
  const submit = form.onSubmit(({ rating, text, author }) => {
    if (!listing) return;
    void run(listing.id, async () => {
      await call('POST /api/sandbox/reviews', {
        body: { listingId: listing.id, rating, text, ...(author && { author }) },
      });
      return t('sandbox.review.done', { author, rating, directory: listing.typeName });
    });
  });
  return (
    <Section title={t('sandbox.review.title')} text={t('sandbox.review.text')}>
      <form onSubmit={submit}>
        <Stack gap="sm">
          <div>
            <Text size="sm" fw={500} mb={4} aria-hidden>
              {t('sandbox.review.rating')}
            </Text>
            <Rating
              getSymbolLabel={(value) => `${value} ${t('sandbox.review.rating')}`}
              {...form.getInputProps('rating')}
            />
          </div>
          <Textarea label={t('sandbox.review.words')} autosize minRows={2} required {...form.getInputProps('text')} />
          <TextInput label={t('sandbox.review.author')} {...form.getInputProps('author')} />
          <FormProblem message={problem} />
          <Button type="submit" loading={isBusy} disabled={!listing} leftSection={<Star size={16} aria-hidden />}>
            {t('sandbox.review.submit')}
          </Button>
        </Stack>
      </form>
    </Section>
  );
}

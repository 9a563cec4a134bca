import { Button, Group, SimpleGrid, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { useApiForm } from '../../../parts/api-form.tsx';
import { FormProblem } from '../../../parts/form-problems.tsx';
import { LeaveGuard } from '../../../parts/leave-guard.tsx';
import { t } from '../../../texts/t.ts';
import { ActionsSection } from './actions-section.tsx';
import { ContentSection } from './content-section.tsx';
import { missingIn } from './field-errors.ts';
import { PhotosSection } from './photos-section.tsx';
import type { PostValues } from './post-form.ts';
import { PreviewSection } from './preview-section.tsx';
import { TemplateActions } from './template-actions.tsx';
import { WhenSection } from './when-section.tsx';
import { WhereSection } from './where-section.tsx';

interface Props {
  initial: PostValues;
  /** Also receives the post at the start of editing. Throws ApiProblem. */
  onSave: (values: PostValues, before: PostValues) => Promise<void>;
  isNew: boolean;
  /** The next page is loading. */
  isSaved?: boolean;
  isReadOnly?: boolean;
  onCancel: () => void;
}

export function Composer({ initial: given, onSave, isNew, isSaved = false, isReadOnly = false, onCancel }: Props) {
  const [initial] = useState(given);
  const form = useForm<PostValues>({ initialValues: initial, validate: missingIn });
  const { problem, ...props } = useApiForm(form, (values) => onSave(values, initial));
  return (
    <form {...props}>
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
        <fieldset disabled={isReadOnly} style={{ border: 0, margin: 0, padding: 0, minWidth: 0 }}>
          <Stack gap="lg">
            <FormProblem message={problem} />
            <ContentSection form={form} />
            <WhereSection form={form} />
            <WhenSection form={form} />
            <PhotosSection form={form} />
            <ActionsSection form={form} />
            {!isReadOnly && (
              <Group justify="space-between">
                <TemplateActions form={form} />
                <Group ml="auto">
                  <Button variant="default" onClick={onCancel}>
                    {t('parts.form.cancel')}
                  </Button>
                  <Button type="submit" loading={form.submitting || isSaved}>
                    {t(submitLabel(isNew, form.values.publicationDate))}
                  </Button>
                </Group>
              </Group>
            )}
          </Stack>
        </fieldset>
        <PreviewSection values={form.values} />
      </SimpleGrid>
      <LeaveGuard isDirty={!isReadOnly && form.isDirty()} />
    </form>
  );
}

function submitLabel(isNew: boolean, publicationDate: string) {
  if (!isNew) return 'posts.compose.save';
  return publicationDate && new Date(publicationDate) > new Date() ? 'posts.compose.schedule' : 'posts.compose.publish';
}

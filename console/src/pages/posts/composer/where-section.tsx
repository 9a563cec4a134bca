import { Stack } from '@mantine/core';
import { LabelChoice } from '../../../parts/label-choice.tsx';
import { BusinessesChoice, LocationsChoice } from '../../../parts/searched-choice.tsx';
import { Section } from '../../../parts/section.tsx';
import { t } from '../../../texts/t.ts';
import { errorsWithin } from './field-errors.ts';
import type { PostForm } from './post-form.ts';

export function WhereSection({ form }: { form: PostForm }) {
  const { locationIds, businessIds, labels } = form.values;
  // The error of a missing target is shown at the locations; any of the three fields clears it.
  const choose = (field: 'businessIds' | 'labels', ids: number[]) => {
    form.setFieldValue(field, ids);
    form.clearFieldError('locationIds');
  };
  return (
    <Section title={t('posts.compose.where')} text={t('posts.compose.whereText')}>
      <Stack gap="sm">
        <LocationsChoice
          label={t('posts.compose.locations')}
          value={locationIds}
          onChange={(ids) => form.setFieldValue('locationIds', ids ?? [])}
          error={errorsWithin(form.errors, 'locationIds')}
        />
        <BusinessesChoice
          label={t('posts.compose.businesses')}
          value={businessIds}
          onChange={(ids) => choose('businessIds', ids ?? [])}
          error={errorsWithin(form.errors, 'businessIds')}
        />
        <LabelChoice
          label={t('posts.compose.labels')}
          value={labels}
          onChange={(ids) => choose('labels', ids)}
          error={errorsWithin(form.errors, 'labels')}
        />
      </Stack>
    </Section>
  );
}

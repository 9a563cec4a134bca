import { SimpleGrid, TagsInput } from '@mantine/core';
import { loadProblem, useApi } from '../../../api/use-api.ts';
import { useLabels } from '../../../parts/label-choice.tsx';
import { BusinessChoice } from '../../../parts/searched-choice.tsx';
import { t } from '../../../texts/t.ts';
import { FieldFrame } from './field-frame.tsx';
import { SwitchField, TextField, useFieldInput } from './fields.tsx';
import { useDraft } from './profile-draft.ts';
import { ProfileSection } from './profile-section.tsx';

export function BasicsSection() {
  return (
    <ProfileSection id="basics" own={['name', 'identifier']}>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextField field="name" required />
        <TextField field="identifier" description={t('locations.hints.identifier')} />
        <BusinessField />
        <TextField field="openingDate" type="date" />
      </SimpleGrid>
      <LabelsField />
      <SwitchField field="autoSync" description={t('locations.hints.autoSync')} />
    </ProfileSection>
  );
}

function BusinessField() {
  const { location, value, set } = useDraft();
  const common = useFieldInput('businessId');
  const business = useApi('GET /api/businesses/{id}', { path: { id: location.businessId ?? 0 } });
  // Users with access to single locations cannot see their business.
  if (business.error?.code === 404) return null;
  return (
    <FieldFrame field="businessId">
      <BusinessChoice {...common} value={value('businessId')} onChange={(id) => set('businessId', id)} />
    </FieldFrame>
  );
}

/** Labels that do not exist yet are created on save. */
function LabelsField() {
  const { value, set } = useDraft();
  const common = useFieldInput('labels');
  const labels = useLabels();
  const known = labels.data ?? [];
  const chosen = value('labels') ?? [];
  return (
    <FieldFrame field="labels">
      <TagsInput
        {...common}
        error={common.error ?? loadProblem(labels)}
        description={t('locations.hints.labels')}
        data={known.map(({ name }) => name)}
        value={chosen.map(({ name }) => name)}
        onChange={(names) => {
          const of = (name: string) =>
            [...chosen, ...known].find((label) => label.name === name) ?? { name, adminOnly: false };
          // A new label has no id until it is saved.
          set('labels', names.map(of) as typeof chosen);
        }}
        clearable
      />
    </FieldFrame>
  );
}

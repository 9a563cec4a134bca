import { t } from '../../../texts/t.ts';
import { LongTextField, WordsField } from './fields.tsx';
import { ProfileSection } from './profile-section.tsx';

export function DescriptionsSection() {
  return (
    <ProfileSection id="descriptions" own={['descriptionShort', 'descriptionLong']}>
      <LongTextField field="descriptionShort" max={200} rows={2} description={t('locations.hints.descriptionShort')} />
      <LongTextField field="descriptionLong" max={1000} rows={5} />
      <WordsField field="keywords" description={t('locations.hints.keywords')} />
      <WordsField field="brands" description={t('locations.hints.brands')} />
    </ProfileSection>
  );
}

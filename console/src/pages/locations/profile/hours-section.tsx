import { t } from '../../../texts/t.ts';
import { SwitchField } from './fields.tsx';
import { ProfileSection } from './profile-section.tsx';
import { SpecialDays } from './special-days.tsx';
import { WeekHours } from './week-hours.tsx';

export function HoursSection() {
  return (
    <ProfileSection id="hours" text={t('locations.hours.lead')}>
      <SwitchField field="temporarilyClosed" description={t('locations.hints.temporarilyClosed')} />
      <WeekHours />
      <SpecialDays />
    </ProfileSection>
  );
}

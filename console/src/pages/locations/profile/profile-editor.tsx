import { Alert, Anchor, Card, Group, NavLink, Stack } from '@mantine/core';
import { Lightbulb, Lock } from 'lucide-react';
import { type ComponentType, memo, type ReactNode, useCallback, useMemo } from 'react';
import type { Location, Suggestion } from '../../../api/api-types.ts';
import { locationFields } from '../../../api/location-fields.ts';
import { useHasPermission, useSession } from '../../../api/session.ts';
import { LeaveGuard } from '../../../parts/leave-guard.tsx';
import { t, tn } from '../../../texts/t.ts';
import { AddressSection } from './address-section.tsx';
import { BasicsSection } from './basics-section.tsx';
import { CategoriesSection } from './categories-section.tsx';
import { Completeness, goToField } from './completeness.tsx';
import { ContactSection } from './contact-section.tsx';
import { DescriptionsSection } from './descriptions-section.tsx';
import { fieldLabel } from './fields.tsx';
import { HoursSection } from './hours-section.tsx';
import { OffersSection } from './offers-section.tsx';
import { PhotosSection } from './photos-section.tsx';
import classes from './profile.module.css';
import {
  type Draft,
  DraftContext,
  type Field,
  fieldNames,
  type SectionId,
  sectionIds,
  shownFields,
  useProfileDraft,
} from './profile-draft.ts';
import { SaveBar } from './save-bar.tsx';
import { ServicesSection } from './services-section.tsx';
import { SuggestionsProvider, usePendingSuggestions } from './suggestions.tsx';

const sections: Readonly<Record<SectionId, ComponentType>> = {
  basics: memo(BasicsSection),
  address: memo(AddressSection),
  contact: memo(ContactSection),
  hours: memo(HoursSection),
  categories: memo(CategoriesSection),
  descriptions: memo(DescriptionsSection),
  photos: memo(PhotosSection),
  services: memo(ServicesSection),
  offers: memo(OffersSection),
};
const CompletenessCard = memo(Completeness);

export function ProfileEditor({ location }: { location: Location }) {
  const draft = useProfileDraft(location, useFieldWriting());
  const suggestions = usePendingSuggestions(location.id);
  const mayWrite = useHasPermission('LOCATION_WRITE');
  return (
    <DraftContext value={draft}>
      <SuggestionsProvider value={suggestions}>
        <div className={classes.layout}>
          <Stack className={classes.side}>
            <CompletenessCard locationId={location.id} />
            <SectionLinks />
          </Stack>
          <Stack miw={0} gap="lg">
            {!mayWrite && (
              <Alert color="gray" icon={<Lock size={18} aria-hidden />}>
                {t('locations.readOnly')}
              </Alert>
            )}
            <SuggestionsNotice suggestions={suggestions} />
            {sectionIds.map((id) => {
              const OneSection = sections[id];
              return (
                <SectionDraft key={id} id={id} draft={draft}>
                  <OneSection />
                </SectionDraft>
              );
            })}
            <SaveBar />
          </Stack>
        </div>
        <LeaveGuard isDirty={draft.changed.length > 0} />
      </SuggestionsProvider>
    </DraftContext>
  );
}

const SectionLinks = memo(() => {
  return (
    <Card padding="xs" component="nav" aria-label={t('locations.sectionsLabel')} visibleFrom="lg">
      {sectionIds.map((id) => (
        <NavLink
          key={id}
          component="button"
          type="button"
          label={t(`locations.sections.${id}`)}
          py={3}
          onClick={() => document.getElementById(`section-${id}`)?.scrollIntoView()}
        />
      ))}
    </Card>
  );
});

function SuggestionsNotice({ suggestions }: { suggestions: readonly Suggestion[] }) {
  const fields = [...new Set(suggestions.map(({ field }) => field))].filter((field) => field in shownFields) as Field[];
  if (fields.length === 0) return null;
  return (
    <Alert
      color="yellow"
      icon={<Lightbulb size={18} aria-hidden />}
      title={tn('locations.suggestions.count', suggestions.length)}
    >
      <Group gap="sm">
        {fields.map((field) => (
          <Anchor key={field} component="button" type="button" size="sm" onClick={() => goToField(field)}>
            {fieldLabel(field)}
          </Anchor>
        ))}
      </Group>
    </Alert>
  );
}

/** All fields with LOCATION_WRITE, unless the user is limited to field groups. */
function useFieldWriting(): (field: Field) => boolean {
  const mayWrite = useHasPermission('LOCATION_WRITE');
  const { user } = useSession();
  const open = user.featuresDetailed.LOCATION_WRITE;
  const isAdmin = user.role === 'ADMIN';
  return useCallback(
    (field) => mayWrite && (isAdmin || open === undefined || open.includes(locationFields[field].group)),
    [mayWrite, isAdmin, open],
  );
}

interface Props {
  id: SectionId;
  draft: Draft;
  children: ReactNode;
}

const fieldsOf = (id: SectionId) => fieldNames.filter((field) => shownFields[field] === id);

/** Memoised per section, so typing re-renders one section only. */
function SectionDraft({ id, draft, children }: Props) {
  const { location, mayWrite, value, errorOf } = draft;
  const seen = fieldsOf(id).flatMap((field) => [value(field), errorOf(field)]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the fields of a section never change
  const own = useMemo(() => draft, [location, mayWrite, ...seen]);
  return <DraftContext value={own}>{children}</DraftContext>;
}

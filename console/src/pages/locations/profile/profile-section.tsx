import { Box, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { Section } from '../../../parts/section.tsx';
import { t } from '../../../texts/t.ts';
import classes from './profile.module.css';
import type { SectionId } from './profile-draft.ts';

export function ProfileSection({ id, text, children }: { id: SectionId; text?: string; children: ReactNode }) {
  return (
    <Box id={`section-${id}`} className={classes.section}>
      <Section title={t(`locations.sections.${id}`)} text={text}>
        <Stack>{children}</Stack>
      </Section>
    </Box>
  );
}

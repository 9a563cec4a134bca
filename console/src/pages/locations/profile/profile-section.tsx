import { Box, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { Section } from '../../../parts/section.tsx';
import { t } from '../../../texts/t.ts';
import { OtherTextFields, type TextFieldName } from './fields.tsx';
import classes from './profile.module.css';
import type { SectionId } from './profile-draft.ts';

interface Props {
  id: SectionId;
  text?: string;
  /** Text fields with a control in `children`. The others follow with default controls. */
  own?: readonly TextFieldName[];
  children: ReactNode;
}

export function ProfileSection({ id, text, own = [], children }: Props) {
  return (
    <Box id={`section-${id}`} className={classes.section}>
      <Section title={t(`locations.sections.${id}`)} text={text}>
        <Stack>
          {children}
          <OtherTextFields section={id} except={own} />
        </Stack>
      </Section>
    </Box>
  );
}

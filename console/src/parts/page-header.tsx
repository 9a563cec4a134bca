import { Anchor, Breadcrumbs, Group, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

interface Props {
  title: string;
  /** What the browser's tab says, where it is more than the title. */
  pageTitle?: string;
  text?: ReactNode;
  /** Beside the title: a badge, say. */
  aside?: ReactNode;
  /** Buttons on the right. */
  actions?: ReactNode;
  /** The pages above this one. */
  trail?: readonly { label: string; to: string }[];
}

/** The beginning of every page: its one h1, and the title of the browser's tab. */
export function PageHeader({ title, pageTitle, text, aside, actions, trail }: Props) {
  return (
    <Stack gap={4} mb="lg">
      <title>{`${pageTitle ?? title} · Waypost`}</title>
      {trail && (
        <Breadcrumbs separator="/" separatorMargin={6}>
          {trail.map(({ label, to }) => (
            <Anchor key={to} component={Link} to={to} size="sm">
              {label}
            </Anchor>
          ))}
        </Breadcrumbs>
      )}
      <Group justify="space-between" align={text ? 'start' : 'center'} gap="sm">
        {/* On narrow screens what the page is about comes before what can be done. */}
        <Stack gap={4} miw={0} {...(text && { flex: '1 1 16rem' })}>
          <Group gap="sm" miw={0}>
            {/* Names are as long as people make them, and may have no space in them. */}
            <Title order={1} miw={0} style={{ overflowWrap: 'break-word' }}>
              {title}
            </Title>
            {aside}
          </Group>
          {text && (
            <Text c="dimmed" maw={720}>
              {text}
            </Text>
          )}
        </Stack>
        {actions && <Group gap="sm">{actions}</Group>}
      </Group>
    </Stack>
  );
}

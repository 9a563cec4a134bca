import { Anchor, Breadcrumbs, Group, Stack, Text, Title } from '@mantine/core';
import { Link, useLocation } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { useSession } from '../api/session.ts';
import { withoutDetails } from './use-search-change.ts';

interface Props {
  title: string;
  /** Document title, if it differs from the title. */
  pageTitle?: string;
  text?: ReactNode;
  aside?: ReactNode;
  actions?: ReactNode;
  /** Breadcrumbs. */
  trail?: readonly { label: string; to: string }[];
}

/** The search parameters of the last visit of each page by a user. Breadcrumbs lead back to the same filters. */
const lastSearches = new Map<string, object>();

/** Renders the h1 and sets the document title. */
export function PageHeader({ title, pageTitle, text, aside, actions, trail }: Props) {
  const { id } = useSession().user;
  const { pathname, search } = useLocation();
  useEffect(() => {
    lastSearches.set(`${id}:${pathname}`, withoutDetails(search));
  }, [id, pathname, search]);
  return (
    <Stack gap={4} mb="lg">
      <title>{`${pageTitle ?? title} · Waypost`}</title>
      {trail && (
        <Breadcrumbs separator="/" separatorMargin={6}>
          {trail.map(({ label, to }) => (
            <Anchor key={to} component={Link} to={to} search={lastSearches.get(`${id}:${to}`) as never} size="sm">
              {label}
            </Anchor>
          ))}
        </Breadcrumbs>
      )}
      <Group justify="space-between" align={text ? 'start' : 'center'} gap="sm">
        <Stack gap={4} miw={0} {...(text && { flex: '1 1 16rem' })}>
          <Group gap="sm" miw={0}>
            {/* Names can be long and have no spaces. */}
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

import { Center, EmptyState } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  icon: ReactNode;
  title: string;
  text: string;
  children?: ReactNode;
}

export function MessagePage({ icon, title, text, children }: Props) {
  return (
    <Center mih="60vh" p="md">
      <title>{`${title} · Waypost`}</title>
      <EmptyState icon={icon} variant="light" size="lg">
        <EmptyState.Title component="h1">{title}</EmptyState.Title>
        <EmptyState.Description>{text}</EmptyState.Description>
        {children && <EmptyState.Actions>{children}</EmptyState.Actions>}
      </EmptyState>
    </Center>
  );
}

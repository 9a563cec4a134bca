import { Accordion, Anchor, Badge, Group, Text } from '@mantine/core';
import { ExternalLink } from 'lucide-react';
import { useApi } from '../../api/use-api.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Section } from '../../parts/section.tsx';
import { dayText } from '../../parts/time-text.ts';
import { t, textOrWords } from '../../texts/t.ts';
import { kindColors } from './versions.ts';

export function Changelog() {
  const found = useApi('GET /api/versions');
  return (
    <Section
      title={t('api.changelog')}
      text={t('api.changelogText')}
      actions={
        <Anchor href="/docs/changes" target="_blank" rel="noopener" size="sm">
          <Group gap={4} component="span">
            {t('api.openChangelog')} <ExternalLink size={14} aria-hidden />
          </Group>
        </Anchor>
      }
    >
      <Loaded query={found} height={200}>
        {({ versions }) => (
          <Accordion variant="contained" order={3}>
            {versions.map(({ version, date, kind, description, touches }) => (
              <Accordion.Item key={version} value={version}>
                <Accordion.Control>
                  <Group gap="xs">
                    <Text fw={600} size="sm">
                      {version}
                    </Text>
                    <Text size="sm" c="dimmed">
                      {dayText(date)}
                    </Text>
                    <Badge color={kindColors[kind]}>{textOrWords('api.kinds', kind)}</Badge>
                  </Group>
                </Accordion.Control>
                <Accordion.Panel>
                  <Text size="sm">{description}</Text>
                  {touches.length > 0 && (
                    <Text size="xs" c="dimmed" mt={6}>
                      {t('api.affects')}: {touches.join(', ')}
                    </Text>
                  )}
                </Accordion.Panel>
              </Accordion.Item>
            ))}
          </Accordion>
        )}
      </Loaded>
    </Section>
  );
}

import { Badge, Box, Button, Group, Image, Paper, Stack, Tabs, Text, Title } from '@mantine/core';
import { MapPin, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { useApi } from '../../../api/use-api.ts';
import { Section } from '../../../parts/section.tsx';
import { type Directory, useDirectories } from '../../../parts/use-directories.ts';
import { t, tn } from '../../../texts/t.ts';
import { countedText } from '../post-values.ts';
import classes from './composer.module.css';
import type { PostValues } from './post-form.ts';

export function PreviewSection({ values }: { values: PostValues }) {
  const directories = useDirectories().filter(({ type }) => values.directories.includes(type));
  const [chosen, setChosen] = useState<string | null>(null);
  const shown = directories.find(({ type }) => type === chosen) ?? directories[0];
  return (
    <Box className={classes.preview}>
      <Section title={t('posts.compose.preview')} text={t('posts.compose.previewText')}>
        {shown ? (
          <Tabs value={shown.type} onChange={setChosen} keepMounted={false}>
            <Tabs.List mb="md" aria-label={t('posts.compose.preview')}>
              {directories.map(({ type, name, postMaxLength }) => (
                <Tabs.Tab
                  key={type}
                  value={type}
                  rightSection={
                    isTooLong(values, postMaxLength) && (
                      <TriangleAlert
                        size={14}
                        color="var(--mantine-color-error)"
                        role="img"
                        aria-label={t('posts.compose.textTooLong')}
                      />
                    )
                  }
                >
                  {name}
                </Tabs.Tab>
              ))}
            </Tabs.List>
            <Tabs.Panel value={shown.type}>
              <Preview values={values} directory={shown} />
            </Tabs.Panel>
          </Tabs>
        ) : (
          <Text c="dimmed" size="sm">
            {t('posts.compose.noDirectories')}
          </Text>
        )}
      </Section>
    </Box>
  );
}

const lengthOf = ({ title, description }: PostValues) => countedText(title, description).length;
const isTooLong = (values: PostValues, limit: number) => lengthOf(values) > limit;

function Preview({ values, directory }: { values: PostValues; directory: Directory }) {
  const { title, description, photos, callToActions, type, couponCode } = values;
  const length = lengthOf(values);
  const over = length - directory.postMaxLength;
  const action = callToActions.find((one) => one.directory === directory.type);
  return (
    <Stack gap="sm">
      <Paper
        withBorder
        className={classes.card}
        role="group"
        aria-label={t('posts.compose.previewOn', { directory: directory.name })}
      >
        <Group gap="sm" p="md" wrap="nowrap">
          <div className={classes.place} aria-hidden>
            <MapPin size={18} />
          </div>
          <Stack gap={0} miw={0}>
            <PlaceName id={values.locationIds[0]} />
            <Text size="xs" c="dimmed">
              {directory.name}
              {type !== 'POST' && ` · ${t(`posts.types.${type}`)}`}
            </Text>
          </Stack>
        </Group>
        {photos[0]?.photo && (
          <Image src={photos[0].photo} alt={photos[0].description} mah={260} fit="cover" radius={0} />
        )}
        <Stack gap="xs" p="md" pt={photos[0]?.photo ? 'md' : 0}>
          {title && <Title order={3}>{title}</Title>}
          <Text size="sm" className={classes.text}>
            {description.slice(0, directory.postMaxLength)}
            {over > 0 && <mark>{description.slice(directory.postMaxLength)}</mark>}
          </Text>
          {type === 'OFFER' && couponCode && (
            <Badge variant="outline" size="lg">
              {couponCode}
            </Badge>
          )}
          {action && (
            <Button variant="light" component="span" className={classes.action}>
              {t(`posts.compose.actionTypes.${action.type}`)}
            </Button>
          )}
        </Stack>
      </Paper>
      <Text size="sm" c={over > 0 ? 'var(--mantine-color-error)' : 'dimmed'} role="status">
        {over > 0
          ? tn('posts.compose.tooLong', over)
          : t('posts.compose.length', { count: length, limit: directory.postMaxLength })}
      </Text>
    </Stack>
  );
}

function PlaceName({ id }: { id: number | undefined }) {
  const { data } = useApi('GET /api/locations/{id}', { path: { id: id ?? 0 } }, { enabled: id !== undefined });
  return (
    <Text fw={600} size="sm" truncate>
      {data?.name ?? t('posts.compose.yourLocation')}
    </Text>
  );
}

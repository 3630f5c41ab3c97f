/*
 * main.c - send each UDP datagram back to its sender: a driver of virtio-net, and as much of ARP,
 * IPv4 and UDP as an echo needs. It ends after COUNT datagrams.
 *
 *	make run APP=echo ARGS=3 DEVICES='-global virtio-mmio.force-legacy=false
 *		-netdev user,id=net,hostfwd=udp:127.0.0.1:7777-:7
 *		-device virtio-net-device,netdev=net'
 *
 * Source: Virtual I/O Device (VIRTIO) 1.1, 5.1 (network device); RFC 768, 791, 826, 894.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cohart/cohart.h>

#include "../common/virtio.h"

#define HEADER 12 /* of virtio, before each frame: all zero */
#define FRAME 1514
#define WAIT_US 20000000
#define HAS_MAC (1u << 5)
#define CONFIG 0x100
#define RECEIVED 0 /* queues */
#define SENT 1

/* A frame's parts, by bytes: numbers are big-endian. */
#define TO 0
#define FROM 6
#define TYPE 12
#define TYPE_ARP 0x0806
#define TYPE_IP 0x0800
#define ARP_KIND 20
#define ARP_FROM 22
#define ARP_FROM_IP 28
#define ARP_TO 32
#define ARP_TO_IP 38
#define ARP_END 42
#define IP 14
#define IP_PROTOCOL 23
#define IP_FROM 26
#define IP_TO 30
#define UDP 17

struct packet {
	uint8_t header[HEADER];
	uint8_t frame[FRAME];
};

static const uint8_t own_ip[4] = { 10, 0, 2, 15 };
static uint8_t own_mac[6];
static struct virtio net;
static struct virtio_queue received, sent;
static struct packet in[VIRTIO_BUFFERS], out;

static unsigned number(const uint8_t *p)
{
	return p[0] << 8 | p[1];
}

static void swap(uint8_t *a, uint8_t *b, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++) {
		uint8_t was = a[i];

		a[i] = b[i];
		b[i] = was;
	}
}

/* Make an answer of a question for our address. */
static bool answer_arp(uint8_t *f, size_t bytes)
{
	if (bytes < ARP_END || number(f + ARP_KIND) != 1 || memcmp(f + ARP_TO_IP, own_ip, 4) != 0)
		return false;
	f[ARP_KIND + 1] = 2;
	swap(f + ARP_FROM, f + ARP_TO, 6);
	swap(f + ARP_FROM_IP, f + ARP_TO_IP, 4);
	memcpy(f + ARP_FROM, own_mac, 6);
	return true;
}

/* Sums of IP and UDP do not change when addresses and ports change places. */
static bool answer_udp(uint8_t *f, size_t bytes)
{
	size_t udp = IP + 4 * (f[IP] & 15u);

	if (bytes < udp + 8 || f[IP] >> 4 != 4 || f[IP_PROTOCOL] != UDP ||
	    memcmp(f + IP_TO, own_ip, 4) != 0)
		return false;
	swap(f + IP_FROM, f + IP_TO, 4);
	swap(f + udp, f + udp + 2, 2);
	return true;
}

static bool send(uint32_t bytes)
{
	const struct virtio_buffer b = { &out, bytes, false };
	uint32_t unused;

	memcpy(out.frame + TO, out.frame + FROM, 6);
	memcpy(out.frame + FROM, own_mac, 6);
	if (virtio_ask(&net, &sent, &b, 1) < 0)
		return false;
	while (virtio_take(&sent, &unused) < 0) {
		if (virtio_wait(&net, co_after_us(WAIT_US)))
			return false;
	}
	return true;
}

/* Is it a datagram that has been sent back? */
static bool serve(const struct packet *p, uint32_t bytes)
{
	uint32_t frame = bytes - HEADER;
	bool arp, udp;

	if (bytes < HEADER + 34 || bytes > sizeof(out))
		return false;
	memcpy(&out, p, bytes);
	memset(out.header, 0, HEADER);
	arp = number(out.frame + TYPE) == TYPE_ARP && answer_arp(out.frame, frame);
	udp = number(out.frame + TYPE) == TYPE_IP && answer_udp(out.frame, frame);
	return (arp || udp) && send(bytes) && udp;
}

static int receive_into(struct packet *p)
{
	const struct virtio_buffer b = { p, sizeof(*p), true };

	return virtio_ask(&net, &received, &b, 1);
}

static int echo(long count)
{
	struct packet *of[VIRTIO_BUFFERS]; /* by the mark of its request */
	uint32_t bytes;
	int mark, r = 0;

	for (unsigned i = 0; i < VIRTIO_BUFFERS; i++)
		of[receive_into(&in[i])] = &in[i];
	printf("echo: ready\n");
	fflush(stdout);
	while (count > 0 && r == 0) {
		while ((mark = virtio_take(&received, &bytes)) >= 0) {
			struct packet *p = of[mark];

			count -= serve(p, bytes);
			of[receive_into(p)] = p;
		}
		if (count > 0)
			r = virtio_wait(&net, co_after_us(WAIT_US));
	}
	return r;
}

int main(int argc, char **argv)
{
	const volatile uint8_t *mac;
	int r = virtio_find(&net, VIRTIO_NET, HAS_MAC);

	if (r) {
		fprintf(stderr, "echo: %s\n", r == -ENODEV ? "there is no network" : strerror(-r));
		return 1;
	}
	mac = (const volatile uint8_t *)net.reg + CONFIG;
	for (unsigned i = 0; i < 6; i++)
		own_mac[i] = mac[i];
	r = virtio_queue(&net, &received, RECEIVED);
	if (r == 0)
		r = virtio_queue(&net, &sent, SENT);
	if (r == 0) {
		virtio_begin(&net);
		r = echo(argc > 1 ? strtol(argv[1], NULL, 10) : 1);
	}
	virtio_end(&net);
	co_irq_close(&net.irq);
	if (r)
		fprintf(stderr, "echo: %s\n", strerror(-r));
	return r != 0;
}

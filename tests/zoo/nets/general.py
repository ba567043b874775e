# SPDX-License-Identifier: Apache-2.0
"""What else MXNet's examples train: recommenders, autoencoders, generators, styles, super
resolution, capsules; and how the Model Server keeps a model."""
import json
import os
import zipfile

from net import Input, Net, uniform, words
from nets.layers import S, batches, bn, conv, relu

USERS, ITEMS, FEATURES = 943, 1682, 2000


# ---- recommenders (example/recommenders, example/sparse)

def matrix_factorization():
    user = S.Embedding(S.Variable("user"), input_dim=USERS, output_dim=64, name="user_embed")
    item = S.Embedding(S.Variable("item"), input_dim=ITEMS, output_dim=64, name="item_embed")
    user = S.FullyConnected(relu(user), num_hidden=64, name="fc_user")
    item = S.FullyConnected(relu(item), num_hidden=64, name="fc_item")
    x = S.Flatten(S.sum(user * item, axis=1))
    return S.LinearRegressionOutput(x, S.Variable("score"), name="lro")


def factorization_machine(width=8):
    """Dense, as a file of either storage reads: what MXNet's sparse operators compute is the same."""
    x = S.Variable("data", stype="csr")
    weight = S.Variable("w", shape=(FEATURES, 1), stype="row_sparse")
    factors = S.Variable("v", shape=(FEATURES, width), stype="row_sparse")
    linear = S.dot(x, weight)
    squares = S.sum(S.square(S.dot(x, factors)), axis=1, keepdims=True)
    inner = S.dot(S.square(x), S.sum(S.square(factors), axis=1, keepdims=True))
    score = S.broadcast_add(linear, S.Variable("bias", shape=(1,))) + .5 * (squares - inner)
    return S.LogisticRegressionOutput(score, S.Variable("out_label"), name="out")


def small_factors(params):
    """As trained ones are, so that the sum does not depend on rounding and its sigmoid neither 0 nor 1."""
    params["v"] *= .03
    params["w"] *= .1


def dssm():
    """Two towers over words, the cosine between them."""
    def tower(name):
        x = S.Embedding(S.Variable(name), input_dim=5000, output_dim=64, name=name + "_embed")
        x = S.Activation(S.FullyConnected(S.mean(x, axis=1), num_hidden=64, name=name + "_fc0"), act_type="tanh")
        x = S.Activation(S.FullyConnected(x, num_hidden=32, name=name + "_fc1"), act_type="tanh")
        return S.L2Normalization(x, mode="instance")
    cosine = S.sum(tower("left") * tower("right"), axis=1)
    return S.MAERegressionOutput(cosine, S.Variable("score_label"), name="cosine")


def wide_deep():
    """example/sparse/wide_deep: hashed features, embedded columns, numbers."""
    wide = S.dot(S.Variable("csr_data"), S.Variable("linear_weight", shape=(3000, 2)))
    dns = S.Variable("dns_data")
    columns = S.split(S.slice_axis(dns, axis=1, begin=0, end=2), num_outputs=2, axis=1)
    x = [S.Reshape(S.Embedding(c, input_dim=50, output_dim=8, name="embed_%d" % k), shape=(-1, 8))
         for k, c in enumerate(columns)]
    x = S.concat(*x, S.slice_axis(dns, axis=1, begin=2, end=5), dim=1)
    for k, width in enumerate((100, 50)):
        x = relu(S.FullyConnected(x, num_hidden=width, name="fc%d" % k))
    x = S.FullyConnected(x, num_hidden=2, name="fc2") + S.broadcast_add(wide, S.Variable("linear_bias", shape=(2,)))
    return S.SoftmaxOutput(x, S.Variable("softmax_label"), name="model")


# ---- generators and autoencoders

def autoencoder():
    """example/autoencoder: as deep as its stacked pre-training leaves it."""
    x = S.Variable("data")
    for k, width in enumerate((500, 500, 2000, 10)):
        x = S.FullyConnected(x, num_hidden=width, name="encoder_%d" % k)
        x = relu(x) if k < 3 else x
    for k, width in enumerate((2000, 500, 500, 784)):
        x = S.FullyConnected(x, num_hidden=width, name="decoder_%d" % k)
        x = relu(x) if k < 3 else x
    return S.LinearRegressionOutput(x, S.Variable("softmax_label"), name="softmax")


def vae():
    """The decoder at the mean of what the encoder says; the loss needs no label and stays."""
    x = S.Activation(S.FullyConnected(S.Variable("data"), num_hidden=400, name="encoder_h"), act_type="tanh")
    mu, logvar = (S.FullyConnected(x, num_hidden=5, name=n) for n in ("mu", "logvar"))
    y = S.Activation(S.FullyConnected(mu, num_hidden=400, name="decoder_z"), act_type="tanh")
    y = S.Activation(S.FullyConnected(y, num_hidden=784, name="decoder_x"), act_type="sigmoid", name="y")
    loss = -.5 * S.sum(1 + logvar - S.pow(mu, 2) - S.exp(logvar), axis=1)
    return S.Group([y, mu, logvar, S.MakeLoss(loss, name="loss")])


def dcgan_generator():
    x = S.Variable("rand")
    for k, filters in enumerate((512, 256, 128, 64, 3), 1):
        last = k == 5
        x = S.Deconvolution(x, kernel=(4, 4), stride=(1, 1) if k == 1 else (2, 2), pad=(0, 0) if k == 1 else (1, 1),
                            target_shape=(2 ** (k + 1),) * 2 if k > 1 else None, num_filter=filters, no_bias=True,
                            name="g%d" % k)
        x = S.Activation(x, act_type="tanh", name="gact5") if last else relu(bn(x, "gbn%d" % k, True, 1e-12 + 1e-5))
    return x


def dcgan_discriminator():
    x = S.Variable("data")
    for k, filters in enumerate((64, 128, 256, 512), 1):
        x = S.Convolution(x, kernel=(4, 4), stride=(2, 2), pad=(1, 1), num_filter=filters, no_bias=True, name="d%d" % k)
        x = S.LeakyReLU(bn(x, "dbn%d" % k, True) if k > 1 else x, act_type="leaky", slope=.2)
    x = S.Flatten(S.Convolution(x, kernel=(4, 4), num_filter=1, no_bias=True, name="d5"))
    return S.LogisticRegressionOutput(x, S.Variable("label"), name="dloss")


# ---- images to images

def style(residual=5):
    """The transformation net of example/gluon/style_transfer and its kin: InstanceNorm, reflection, nearest places."""
    def norm(x, name):
        return S.InstanceNorm(x, name=name, eps=1e-5)

    def padded(x, filters, kernel, stride, name):
        p = kernel // 2
        x = S.Pad(x, mode="reflect", pad_width=(0, 0, 0, 0, p, p, p, p))
        return conv(x, filters, kernel, stride, 0, name, bias=True)

    x = relu(norm(padded(S.Variable("data"), 32, 9, 1, "conv1"), "in1"))
    x = relu(norm(padded(x, 64, 3, 2, "conv2"), "in2"))
    x = relu(norm(padded(x, 128, 3, 2, "conv3"), "in3"))
    for k in range(residual):
        y = relu(norm(padded(x, 128, 3, 1, "res%d_conv1" % k), "res%d_in1" % k))
        x = x + norm(padded(y, 128, 3, 1, "res%d_conv2" % k), "res%d_in2" % k)
    for k, filters in enumerate((64, 32)):
        x = S.UpSampling(x, scale=2, sample_type="nearest", num_args=1)
        x = relu(norm(padded(x, filters, 3, 1, "deconv%d" % k), "din%d" % k))
    return S.clip(S.Activation(padded(x, 3, 9, 1, "deconv2"), act_type="tanh") * 150 + 128, 0, 255)


def msgnet():
    """Of the catalogue of published nets: the style comes in as an image."""
    import mxnet as mx
    from published import others
    return others.styled(others.Net(prefix="net0_"), mx.sym.Variable("data"), mx.sym.Variable("style"))


def crash_course():
    """The LeNet of Dive into Deep Learning, of the catalogue as well."""
    import mxnet as mx
    from published import others
    return others.lenet(10)(mx.sym.Variable("data"))


def perceptual():
    """The layers of VGG19 that example/neural-style compares: four of style as Gram matrices, one of content."""
    x, grams = S.Variable("data"), []
    for block, (filters, layers) in enumerate(((64, 2), (128, 2), (256, 4), (512, 2)), 1):
        for k in range(1, layers + 1):
            x = relu(conv(x, filters, 3, name="conv%d_%d" % (block, k), bias=True), "relu%d_%d" % (block, k))
            if k == 1:
                flat = S.Reshape(x, shape=(0, 0, -1))
                grams.append(S.batch_dot(flat, flat, transpose_b=True))
        if block < 4:
            x = S.Pooling(x, pool_type="avg", kernel=(2, 2), stride=(2, 2), name="pool%d" % block)
    return S.Group(grams + [x])


def espcn(factor=3):
    """example/gluon/super_resolution: channels to pixels by Reshape and transpose."""
    x = S.Variable("data")
    for k, (filters, kernel) in enumerate(((64, 5), (64, 3), (32, 3))):
        x = relu(conv(x, filters, kernel, name="conv%d" % (k + 1), bias=True))
    x = conv(x, factor ** 2, 3, name="conv4", bias=True)
    x = S.reshape(x, shape=(0, -4, -1, factor ** 2, 0, 0))
    x = S.reshape(x, shape=(0, 0, -4, factor, factor, 0, 0))
    x = S.transpose(x, axes=(0, 1, 4, 2, 5, 3))
    return S.reshape(x, shape=(0, 0, -3, -3))


def unet():
    """Of the Module API: Deconvolution upwards, Crop to the size of the skip connection."""
    def pair(x, filters, name):
        for k in (1, 2):
            x = relu(bn(conv(x, filters, 3, name="%s_conv%d" % (name, k), bias=True), "%s_bn%d" % (name, k)))
        return x

    x, kept = S.Variable("data"), []
    for k, filters in enumerate((16, 32, 64)):
        x = pair(x, filters, "down%d" % k)
        kept.append(x)
        x = S.Pooling(x, pool_type="max", kernel=(2, 2), stride=(2, 2), pooling_convention="full")
    x = pair(x, 128, "bottom")
    for k, filters in ((2, 64), (1, 32), (0, 16)):
        x = S.Deconvolution(x, kernel=(2, 2), stride=(2, 2), num_filter=filters, name="up%d" % k)
        x = pair(S.Concat(kept[k], S.Crop(x, kept[k], center_crop=True), dim=1), filters, "up%d" % k)
    x = conv(x, 1, 1, name="score", bias=True)
    return S.LogisticRegressionOutput(x, S.Variable("softmax_label"), name="softmax")


# ---- others

def capsnet(routings=3):
    """example/capsnet: primary capsules, then routing by agreement."""
    def squash(x, axis):
        norm = S.sum(S.square(x), axis=axis, keepdims=True)
        return S.broadcast_mul(norm / (1 + norm) / S.sqrt(norm + 1e-7), x)

    x = relu(S.Convolution(S.Variable("data"), kernel=(9, 9), num_filter=64, name="conv1"))
    x = S.Convolution(x, kernel=(9, 9), stride=(2, 2), num_filter=64, name="primarycaps")
    x = squash(S.Reshape(S.transpose(x, axes=(0, 2, 3, 1)), shape=(0, -1, 8)), 2)
    x = S.Reshape(x, shape=(0, 0, 1, 8, 1))
    weight = S.Variable("W", shape=(1, 288, 10, 8, 16))
    u = S.sum(S.broadcast_mul(x, weight), axis=3)  # (batch, 288, 10, 16)
    b = S.zeros_like(S.sum(u, axis=3, keepdims=True))
    for k in range(routings):
        v = squash(S.sum(S.broadcast_mul(S.softmax(b, axis=2), u), axis=1, keepdims=True), 3)
        if k + 1 < routings:
            b = b + S.sum(S.broadcast_mul(u, v), axis=3, keepdims=True)
    return S.sqrt(S.sum(S.square(S.Reshape(v, shape=(0, -3, 16))), axis=2), name="length")


def certain(params):
    """Predictions long enough that routing prefers some."""
    params["W"] *= 40


def svm_mnist():
    x = S.Flatten(S.Variable("data"))
    for k, width in enumerate((512, 512)):
        x = relu(S.FullyConnected(x, num_hidden=width, name="fc%d" % k))
    return S.SVMOutput(S.FullyConnected(x, num_hidden=10, name="fc2"), S.Variable("svm_label"), name="svm")


# ---- layouts

def mar(folder):
    """What model-archiver makes for the Model Server."""
    with zipfile.ZipFile(os.path.join(folder, "net.mar"), "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(os.path.join(folder, "net-symbol.json"), "net-symbol.json")
        archive.write(os.path.join(folder, "net-0000.params"), "net-0000.params")
        archive.writestr("signature.json", json.dumps({"inputs": [{"data_name": "data", "data_shape": [0, 784]}]}))
        archive.writestr("MAR-INF/MANIFEST.json", json.dumps({"runtime": "python", "model": {"modelName": "net"}}))
    return "net.mar"


# ---- the list

def image(name, family, make, channels, size, sizes=None, **options):
    """`sizes`: heights and widths of the dynamic runs."""
    inputs = {"data": Input((1, channels, size, size), draw=uniform(-1, 1))}
    if sizes is None:
        return Net(name, family, make, inputs, **batches("data"), **options)
    return Net(name, family, make, inputs, dynamic={"data": {0: "batch", 2: "height", 3: "width"}},
               sizes=[{"batch": b, "height": h, "width": w} for b, (h, w) in zip((2, 1, 3), sizes)], **options)


def flat(name, family, make, width, **options):
    return Net(name, family, make, {"data": Input((1, width))}, **batches("data"), **options)


def few(rng, shape):
    """Sparse: one feature in twenty."""
    return rng.uniform(size=shape) * (rng.uniform(size=shape) < .05)


def columns(rng, shape):
    """Two numbers of words, then values."""
    x = rng.uniform(size=shape)
    x[:, :2] = rng.randint(0, 50, size=(shape[0], 2))
    return x


FM = {"data": Input((1, FEATURES), draw=few)}

NETS = [
    Net("matrix_factorization", "recommender", matrix_factorization,
        {"user": Input((1,), draw=words(USERS)), "item": Input((1,), draw=words(ITEMS))}, **batches("user", "item"),
        labels={"score": lambda shapes: shapes["user"]}),
    Net("factorization_machine", "recommender", factorization_machine, FM, tune=small_factors, **batches("data")),
    Net("dssm", "recommender", dssm, {n: Input((1, 12), draw=words(5000)) for n in ("left", "right")},
        **batches("left", "right")),
    Net("wide_deep", "recommender", wide_deep,
        {"csr_data": Input((1, 3000), draw=few), "dns_data": Input((1, 5), draw=columns)},
        **batches("csr_data", "dns_data")),
    flat("autoencoder", "generative", autoencoder, 784),
    flat("vae", "generative", vae, 784),
    Net("dcgan_generator", "generative", dcgan_generator, {"rand": Input((1, 100, 1, 1))}, **batches("rand")),
    image("dcgan_discriminator", "generative", dcgan_discriminator, 3, 64),
    image("fast_style", "image to image", style, 3, 64, ((80, 64), (60, 100), (128, 72))),
    Net("msgnet_21styles", "image to image", msgnet,
        {"data": Input((1, 3, 64, 64), draw=uniform(-120, 130)), "style": Input((1, 3, 48, 64), draw=uniform(-120, 130))},
        dynamic={"data": {0: "batch", 2: "height", 3: "width"}, "style": {2: "style_height", 3: "style_width"}},
        sizes=[{"batch": 2, "height": 80, "width": 64, "style_height": 33, "style_width": 50},
               {"batch": 1, "height": 61, "width": 47, "style_height": 64, "style_width": 64},
               {"batch": 3, "height": 32, "width": 72, "style_height": 40, "style_width": 24}], bound=3e-4,
        reason="MXNet's InstanceNorm: what the same graph gives in float64 is 6e-5 from MXNet's output and 1e-5 from ours"),
    image("perceptual_vgg19", "image to image", perceptual, 3, 64, ((80, 64), (72, 100), (128, 72))),
    image("espcn", "image to image", espcn, 1, 32, ((20, 30), (17, 40), (64, 8))),
    image("unet", "segmentation", unet, 3, 64, ((48, 64), (50, 70), (33, 35))),
    image("capsnet", "classification", capsnet, 1, 28, tune=certain),
    image("d2l_lenet", "classification", crash_course, 1, 28),
    flat("svm_mnist", "classification", svm_mnist, 784),
    flat("model_server_autoencoder", "generative", autoencoder, 784, pack=mar),
]
